import type { Connection } from './connection.ts';

/** A block of a day or more, of one group and probe, and the slices whose readings are in it. */
export type CoarseBlock = {
  groupId: number;
  probeId: number;
  level: number;
  start: number;
  sliceIds: number[];
};

/** Buckets of a group and probe that have changed. */
export type ChangedSpan = { groupId: number; probeId: number; from: number; to: number };

/** Takes out the coarse blocks that the spans make stale. */
export const deleteCoarseBlocks = async (
  connection: Connection,
  spans: readonly ChangedSpan[],
): Promise<void> => {
  await connection.query(
    `delete from coarse_blocks b
     using unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[])
       as s(group_id, probe_id, starts_at, ends_at)
     where b.group_id = s.group_id and b.probe_id = s.probe_id
       and b.start < s.ends_at and b.start + b.level > s.starts_at`,
    [
      spans.map(({ groupId }) => groupId),
      spans.map(({ probeId }) => probeId),
      spans.map(({ from }) => from),
      spans.map(({ to }) => to),
    ],
  );
};

export const insertCoarseBlock = async (
  connection: Connection,
  { groupId, level, start, probeId, sliceIds }: CoarseBlock,
): Promise<void> => {
  await connection.query(
    `insert into coarse_blocks (group_id, level, start, probe_id, slice_ids)
     values ($1, $2, $3, $4, $5)
     on conflict (group_id, level, start, probe_id) do update set slice_ids = excluded.slice_ids`,
    [groupId, level, start, probeId, sliceIds],
  );
};

/** All coarse blocks of a context that are whole. */
export async function selectCoarseBlocks(
  connection: Connection,
  contextId: number,
): Promise<CoarseBlock[]> {
  const { rows } = await connection.query<CoarseBlock>(
    `select b.group_id as "groupId", b.level, b.start::float8 as start, b.probe_id as "probeId",
       b.slice_ids as "sliceIds"
     from coarse_blocks b join counter_groups g using (group_id)
     where g.context_id = $1`,
    [contextId],
  );
  return rows;
}
