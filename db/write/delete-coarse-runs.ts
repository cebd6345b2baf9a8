import type { ChangedSpan } from './coarse-blocks.ts';
import type { Connection } from './connection.ts';

/** Removes the data of the coarse blocks of `level` that meet the spans, listed or not. */
export const deleteCoarseRuns = async (
  connection: Connection,
  spans: readonly (ChangedSpan & { readonly level: number })[],
): Promise<void> => {
  await connection.query(
    `delete from topper_blocks b
     using unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[])
       as s(group_id, level, probe_id, starts_at, ends_at)
     where b.group_id = s.group_id and b.level = s.level and b.probe_id = s.probe_id
       and b.slice_id = 0 and b.start < s.ends_at and b.start > s.starts_at - s.level`,
    [
      spans.map(({ groupId }) => groupId),
      spans.map(({ level }) => level),
      spans.map(({ probeId }) => probeId),
      spans.map(({ from }) => from),
      spans.map(({ to }) => to),
    ],
  );
};
