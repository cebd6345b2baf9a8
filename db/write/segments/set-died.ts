import type { Connection } from '../../connection/connection.ts';

/** died: a layout number of the context; at: the time of the death, in epoch seconds. */
export type SegmentDeath = {
  readonly contextId: number;
  readonly died: number;
  readonly at: number;
};

/** Marks the given segments as dead, and returns the ids of those that were alive. */
export async function setDied(
  connection: Connection,
  { contextId, died, at }: SegmentDeath,
  segmentIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ segmentId: number }>(
    `update segments set died = $2, died_at = to_timestamp($3)
     where context_id = $1 and segment_id = any($4::bigint[]) and died is null
     returning segment_id::float8 as "segmentId"`,
    [contextId, died, at, segmentIds],
  );
  return rows.map(({ segmentId }) => segmentId);
}

/**
 * Marks as dead the roll-ups that were made of dead segments, and in turn the roll-ups made of
 * those.
 */
export async function setRollUpsDied(
  connection: Connection,
  { contextId, died, at }: SegmentDeath,
  segmentIds: readonly number[],
): Promise<void> {
  let sources = segmentIds;
  while (sources.length > 0) {
    const { rows } = await connection.query<{ segmentId: number }>(
      `update segments set died = $2, died_at = to_timestamp($3)
       where context_id = $1 and died is null and sources && $4::bigint[]
       returning segment_id::float8 as "segmentId"`,
      [contextId, died, at, sources],
    );
    sources = rows.map(({ segmentId }) => segmentId);
  }
}
