import { copyArray, copyInteger as integer } from '../copy-text.ts';
import type { ReadSession, TimeBound } from '../read-session.ts';
import { copyStoredRuns, type StoredRunRow } from './stored-runs.ts';

/** The series of one slot of some keys, in these slices of these probes (in pairs). */
export type KeySeriesRead = {
  readonly groupId: number;
  readonly slot: number;
  readonly places: readonly { readonly sliceId: number; readonly probeId: number }[];
  readonly keys: readonly { readonly shard: number; readonly keyId: number }[];
};

/** A page with a key of the read at place `range`; it may hold others too. Each comes once. */
export type KeySeriesRow = StoredRunRow;

/** Of K keys at most K pages a slice and probe, in one statement for all reads. */
export const selectKeySeries = (
  session: ReadSession,
  reads: readonly KeySeriesRead[],
  bound: TimeBound | null,
): Promise<KeySeriesRow[]> =>
  copyStoredRuns(session, { query: 'select-key-series', text: copyText(reads) }, bound);

/** The page of a key is the last one that begins at or before it, if it reaches that far. */
const copyText = (reads: readonly KeySeriesRead[]): string => `copy (
  select h.range, p.probe_id, p.slice_id, p.shard, p.start, p.ends,
    substr(p.data, 1, p.ends[1]),
    case when h.slot < cardinality(p.ends)
      then substr(p.data, p.ends[h.slot] + 1, p.ends[h.slot + 1] - p.ends[h.slot]) end
  from (
    select distinct r.range, r.group_id, r.slot, s.slice_id, s.probe_id, k.shard, page.start
    from (values ${reads.map(valuesText).join(',')})
      as r(range, group_id, slot, slices, probes, shards, keys)
    cross join unnest(r.slices, r.probes) as s(slice_id, probe_id)
    cross join unnest(r.shards, r.keys) as k(shard, key_id)
    cross join lateral (
      select t.start, t.last from key_series t
      where t.group_id = r.group_id and t.slice_id = s.slice_id and t.probe_id = s.probe_id
        and t.shard = k.shard::smallint and t.start <= k.key_id
      order by t.start desc limit 1
    ) page
    where page.last >= k.key_id
    offset 0
  ) h
  cross join lateral (
    select * from key_series t
    where t.group_id = h.group_id and t.slice_id = h.slice_id and t.probe_id = h.probe_id
      and t.shard = h.shard::smallint and t.start = h.start
    offset 0
  ) p
) to stdout (format binary)`;

const valuesText = ({ groupId, slot, places, keys }: KeySeriesRead, range: number): string =>
  `(${[
    ...[range, integer(groupId), integer(slot)],
    copyArray(places.map(({ sliceId }) => sliceId)),
    copyArray(places.map(({ probeId }) => probeId)),
    copyArray(keys.map(({ shard }) => shard)),
    copyArray(keys.map(({ keyId }) => keyId)),
  ].join(',')})`;
