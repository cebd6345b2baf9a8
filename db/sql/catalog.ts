import type { KeyKind } from '../../domain/keys/key-kind.ts';
import type { Deadline, ReadSession } from '../session/read-session.ts';

/** Guids as PostgreSQL writes a uuid: lower case, no braces. */
export type CounterGroupRow = {
  contextId: number;
  groupId: number;
  guid: string;
  name: string;
  keyKind: KeyKind;
  bucketSize: number;
  topperBucketSize: number;
  samplingRate: number;
  enabled: boolean;
  /** The group whose keys its keys are; null: they are its own. */
  keysOf: number | null;
  parentGuid: string | null;
  crosskeyGuid1: string | null;
  crosskeyGuid2: string | null;
};

/** meterIndex: the position of the meter in the segments of its group, from 0. */
export type MeterRow = {
  groupId: number;
  meterId: number;
  meterIndex: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

export type ProbeRow = { probeId: number; name: string };

/** Epoch seconds of the starts of the first and the last bucket with a reading. */
export type CoverageRow = {
  groupId: number;
  sliceId: number;
  probeId: number;
  firstBucket: number;
  lastBucket: number;
  /** See CoveredSpan. */
  earlierBuckets: number[] | null;
};

export type CatalogSliceRow = { sliceId: number; startsAt: number; endsAt: number };

/** The groups of a context, and which data there are for them. */
export type CatalogRow = {
  contextId: number;
  sliceSeconds: number;
  /** By name, including disabled groups: they still define the parts of cross-keys. */
  groups: CounterGroupRow[];
  /** By group and index. */
  meters: MeterRow[];
  /** By name. */
  probes: ProbeRow[];
  /** The available slices, and their coverage. */
  slices: CatalogSliceRow[];
  coverage: CoverageRow[];
};

export const selectCatalogs = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
  deadline: Deadline | null,
): Promise<CatalogRow[]> =>
  session.read(
    { query: 'select-catalogs', name: 'catalogs', text: SELECT_CATALOGS, values: [contextIds] },
    deadline,
  );

/** JSON numbers are exact up to 2^53, which no id and no time exceeds. */
const SELECT_CATALOGS = `
select c.context_id as "contextId", c.slice_seconds as "sliceSeconds",
  (select coalesce(json_agg(row_to_json(g)), '[]') from (
    select g.context_id as "contextId", g.group_id as "groupId", g.guid, g.name,
      g.key_kind as "keyKind", g.bucket_size as "bucketSize",
      g.topper_bucket_size as "topperBucketSize", g.sampling_rate as "samplingRate", g.enabled,
      g.keys_of as "keysOf", x.parent_guid as "parentGuid",
      x.crosskey_guid_1 as "crosskeyGuid1", x.crosskey_guid_2 as "crosskeyGuid2"
    from counter_groups g left join crosskeys x using (group_id)
    where g.context_id = c.context_id order by g.name, g.guid) g) as groups,
  (select coalesce(json_agg(row_to_json(m)), '[]') from (
    select m.group_id as "groupId", m.meter_id as "meterId", m.slot - 1 as "meterIndex", m.type, m.topcount, m.name,
      m.description, m.units
    from meters m join counter_groups g using (group_id)
    where g.context_id = c.context_id order by m.group_id, m.meter_id) m) as meters,
  (select coalesce(json_agg(json_build_object('probeId', p.probe_id, 'name', p.name)
    order by p.name), '[]') from probes p where p.context_id = c.context_id) as probes,
  (select coalesce(json_agg(json_build_object('sliceId', s.slice_id, 'startsAt', s.starts_at,
    'endsAt', s.ends_at) order by s.starts_at, s.engine), '[]')
    from slices s where s.context_id = c.context_id and not s.archived) as slices,
  (select coalesce(json_agg(json_build_object('groupId', v.group_id, 'sliceId', v.slice_id,
    'probeId', v.probe_id, 'firstBucket', v.first_bucket, 'lastBucket', v.last_bucket,
    'earlierBuckets', case when v.ahead_buckets is not null
      then array_remove(v.ahead_buckets || v.present_bucket, null) end)), '[]')
    from coverage v join slices s using (slice_id)
    where s.context_id = c.context_id and not s.archived) as coverage
from contexts c where c.context_id = any($1::int[])`;

/** Returns whether any context has this name, granted or not (distinguishes a 422 from a 403). */
export async function selectContextExists(
  session: Pick<ReadSession, 'read'>,
  name: string,
): Promise<boolean> {
  // PostgreSQL's texts cannot contain NUL, so no context has such a name.
  if (name.includes('\0')) return false;
  const rows = await session.read<{ found: boolean }>({
    query: 'select-context-exists',
    text: 'select exists (select from contexts where name = $1) as found',
    values: [name],
  });
  return rows[0]?.found ?? false;
}

/** Sizes in bytes, as text because they may exceed 2^53. */
export type PoolRow = {
  contextId: number;
  contextName: string;
  name: string;
  status: string;
  totalSize: string | null;
  availSize: string | null;
  fileSystem: string | null;
  path: string | null;
  offlineArchive: boolean;
  offlineArchiveMounted: boolean;
  additionalInfo: string | null;
};

export const selectPools = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<PoolRow[]> =>
  session.read({
    query: 'select-pools',
    text: `
select p.context_id as "contextId", c.name as "contextName", p.name, p.status,
  p.total_size as "totalSize", p.avail_size as "availSize", p.file_system as "fileSystem", p.path,
  p.offline_archive as "offlineArchive", p.offline_archive_mounted as "offlineArchiveMounted",
  p.additional_info as "additionalInfo"
from pools p join contexts c using (context_id)
where p.context_id = any($1::int[])
order by p.name`,
    values: [contextIds],
  });

/** name: of the context. */
type TotalWindowRow = { contextId: number; name: string; from: number; to: number };

/**
 * Selects the window of each context, from the oldest available bucket to the end of the newest; no
 * row for a context without data.
 */
export const selectTotalWindows = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<TotalWindowRow[]> =>
  session.read({
    query: 'select-total-windows',
    text: `
select c.context_id as "contextId", c.name, min(v.first_bucket)::float8 as "from",
  max(v.last_bucket + g.bucket_size)::float8 as "to"
from contexts c
join slices s using (context_id)
join coverage v using (slice_id)
join counter_groups g using (group_id)
where c.context_id = any($1::int[]) and not s.archived and g.enabled
group by c.context_id`,
    values: [contextIds],
  });
