import { copyArray, copyInteger as integer } from '../copy-text.ts';
import type { ReadSession, TimeBound } from '../read-session.ts';
import { copyStoredRuns, type StoredRunRow } from './stored-runs.ts';

/**
 * Blocks of `level` seconds of a group that start from `from` to before `to`, and the slots of their
 * readings, ascending. No run that holds such a block begins before `least`.
 */
export type BlocksRead = {
  readonly groupId: number;
  readonly level: number;
  readonly least: number;
  readonly from: number;
  readonly to: number;
  readonly slots: readonly number[];
};

/** A run with blocks of the read at place `range`; it may hold others too. */
export type BlocksRow = StoredRunRow;

/** All blocks of all reads in one statement, each read one walk along the primary key. */
export const selectBlocks = (
  session: ReadSession,
  reads: readonly BlocksRead[],
  bound: TimeBound | null,
): Promise<BlocksRow[]> =>
  copyStoredRuns(session, { query: 'select-blocks', text: copyText(reads) }, bound);

/** The lateral part is fenced by OFFSET 0, so that it is never turned into a scan of the table. */
const copyText = (reads: readonly BlocksRead[]): string => `copy (
  select r.range, b.probe_id, b.slice_id, b.shard, b.start, b.ends, substr(b.data, 1, b.ends[1]),
    (select string_agg(substr(b.data, b.ends[s] + 1, b.ends[s + 1] - b.ends[s]), '' order by s)
     from unnest(r.slots) s where s < cardinality(b.ends))
  from (values ${reads.map(valuesText).join(',')})
    as r(range, group_id, level, least, starts, ends, slots)
  cross join lateral (
    select * from topper_blocks t
    where t.group_id = r.group_id and t.level = r.level and t.start >= r.least
      and t.start < r.ends and t.last >= r.starts
    offset 0
  ) b
) to stdout (format binary)`;

const valuesText = (read: BlocksRead, range: number): string => {
  const { groupId, level, least, from, to, slots } = read;
  const times = [least, from, to].map((at) => `${integer(at)}::bigint`);
  return `(${[range, integer(groupId), integer(level), ...times, copyArray(slots)].join(',')})`;
};
