import { SLICE_HELD_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';

export type HeldSliceRow = { sliceId: number; archived: boolean };

/** The start of a slice, and its context and engine instance. */
export type SlicePlace = { contextId: number; engine: number; startsAt: number };

/**
 * Selects the slice of that context, engine instance and start, and holds it until the end of the
 * transaction (its status is `processing` meanwhile). Returns null if there is none. The context is
 * locked, so nobody archives the slice before it is held.
 */
export async function selectAndHoldSlice(
  connection: Connection,
  place: SlicePlace,
): Promise<HeldSliceRow | null> {
  const { rows } = await connection.query<HeldSliceRow>(
    `select slice_id as "sliceId", archived from slices
     where context_id = $1 and engine = $2 and starts_at = $3`,
    [place.contextId, place.engine, place.startsAt],
  );
  const slice = rows[0];
  if (!slice) return null;
  await holdSlice(connection, slice.sliceId);
  return slice;
}

/**
 * Reserves a new slice's id and holds it as above, so that what is created for it is not taken for
 * an orphan.
 */
export async function reserveSlice(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select nextval(pg_get_serial_sequence('slices', 'slice_id'))::int as "sliceId"`,
  );
  const sliceId = Number(rows[0]?.sliceId);
  await holdSlice(connection, sliceId);
  return sliceId;
}

const holdSlice = (connection: Connection, sliceId: number) =>
  connection.query('select pg_advisory_xact_lock_shared($1, $2)', [SLICE_HELD_LOCK, sliceId]);
