import type { Connection } from '../../connection/connection.ts';

export type OldContext = { readonly contextId: number; readonly name: string };

/**
 * Selects all contexts, in the order in which everyone who needs several of their locks takes them.
 */
export async function selectOldContexts(connection: Connection): Promise<OldContext[]> {
  const { rows } = await connection.query<OldContext>(
    'select context_id as "contextId", name from contexts order by context_id',
  );
  return rows;
}

/** A slice whose samples are to be converted. Times in epoch seconds, half open. */
export type OldSlice = {
  readonly contextId: number;
  readonly sliceId: number;
  readonly engine: number;
  readonly startsAt: number;
  readonly endsAt: number;
  /** The size of its samples, without indexes. */
  readonly sizeBytes: number;
};

/**
 * Selects the slices of a context that are not converted, oldest first. Archived slices are left
 * out: their samples are in files, or where somebody moved them by hand.
 */
export async function selectOldSlices(
  connection: Connection,
  contextId: number,
): Promise<OldSlice[]> {
  const { rows } = await connection.query<OldSlice>(
    `select context_id as "contextId", slice_id as "sliceId", engine::int as engine,
       starts_at::float8 as "startsAt", ends_at::float8 as "endsAt",
       coalesce(pg_relation_size(to_regclass('samples_' || slice_id)), 0)::float8 as "sizeBytes"
     from slices
     where context_id = $1 and not archived
       and slice_id not in (select slice_id from converted_slices)
     order by starts_at, engine`,
    [contextId],
  );
  return rows;
}
