import type { Connection } from '../../connection/connection.ts';

/**
 * Marks a slice as converted, from the commit on. Returns false if it already was. Another
 * transaction that marks the same slice waits for this one.
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

/** Marks the texts of a context as converted, in the same way. */
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

/** What is left to convert: contexts whose texts are not converted, and slices with samples. */
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
