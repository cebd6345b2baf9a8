import type { Connection } from '../../connection/connection.ts';

/**
 * Says that a slice is converted, from the commit on. False: it was before. Another transaction
 * that says so of the same slice waits for this one.
 */
export async function markSliceConverted(
  connection: Connection,
  sliceId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'insert into converted_slices (slice_id) values ($1) on conflict do nothing',
    [sliceId],
  );
  return rowCount === 1;
}

/** The same of the texts of a context. */
export async function markTextsConverted(
  connection: Connection,
  contextId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'insert into converted_texts (context_id) values ($1) on conflict do nothing',
    [contextId],
  );
  return rowCount === 1;
}

/** What is left to be done, by context: texts, and slices that have samples. */
export type Unconverted = { readonly contexts: number; readonly slices: number };

export async function selectUnconverted(connection: Connection): Promise<Unconverted> {
  const { rows } = await connection.query<Unconverted>(
    `select (select count(*)::int from contexts
         where context_id not in (select context_id from converted_texts)) as contexts,
       (select count(*)::int from slices where not archived
         and slice_id not in (select slice_id from converted_slices)) as slices`,
  );
  return rows[0] ?? { contexts: 0, slices: 0 };
}
