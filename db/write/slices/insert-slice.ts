import type { Connection } from '../../connection/connection.ts';
import type { SlicePlace } from './select-slice.ts';

/** Inserts a slice whose partition exists and is empty, and its engine instance if it is new. */
export async function insertSlice(
  connection: Connection,
  slice: SlicePlace & { sliceId: number; endsAt: number },
): Promise<void> {
  await connection.query(
    'insert into engines (context_id, instance) values ($1, $2) on conflict do nothing',
    [slice.contextId, slice.engine],
  );
  await connection.query(
    `insert into slices (slice_id, context_id, engine, starts_at, ends_at)
     values ($1, $2, $3, $4, $5)`,
    [slice.sliceId, slice.contextId, slice.engine, slice.startsAt, slice.endsAt],
  );
}
