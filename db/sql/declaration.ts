import type { KeyKind } from '../../domain/keys/key-kind.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { Connection } from '../connection/connection.ts';
import { moveTexts } from './key-texts.ts';

type MeterRow = {
  id: number;
  slot: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

/**
 * Guids as PostgreSQL writes a uuid. partGuids: of a cross-key, parent first; else empty. keysOf:
 * the group whose keys its keys are, null for its own; keysGroupId: that group, or itself.
 */
export type GroupRow = {
  groupId: number;
  guid: string;
  name: string;
  keyKind: KeyKind;
  bucketSize: number;
  topperBucketSize: number;
  samplingRate: number;
  enabled: boolean;
  partGuids: string[];
  keysOf: string | null;
  keysGroupId: number;
  meters: MeterRow[];
};

/**
 * Selects all counter groups of a context, including disabled ones, with their meters in order of
 * slots.
 */
export async function selectGroups(connection: Connection, contextId: number): Promise<GroupRow[]> {
  const { rows } = await connection.query<GroupRow>(
    `select g.group_id as "groupId", g.guid, g.name, g.key_kind as "keyKind",
       g.bucket_size as "bucketSize", g.topper_bucket_size as "topperBucketSize",
       g.sampling_rate as "samplingRate", g.enabled,
       array_remove(array[x.parent_guid, x.crosskey_guid_1, x.crosskey_guid_2], null)::text[]
         as "partGuids",
       (select o.guid from counter_groups o where o.group_id = g.keys_of) as "keysOf",
       coalesce(g.keys_of, g.group_id) as "keysGroupId",
       coalesce((
         select json_agg(json_build_object('id', m.meter_id, 'slot', m.slot, 'type', m.type,
           'topcount', m.topcount, 'name', m.name, 'description', m.description,
           'units', m.units) order by m.slot)
         from meters m where m.group_id = g.group_id), '[]') as meters
     from counter_groups g left join crosskeys x using (group_id)
     where g.context_id = $1
     order by g.group_id`,
    [contextId],
  );
  return rows;
}

export type NewGroup = {
  guid: Guid;
  name: string;
  keyKind: KeyKind;
  bucketSize: number;
  topperBucketSize: number;
  samplingRate: number;
  enabled: boolean;
  /** Of a cross-key group, parent first; else empty. */
  partGuids: readonly Guid[];
  /** Written by `updateKeysOf`, once both groups exist. */
  keysOf: Guid | null;
};

/** Creates a counter group without meters, with keys of its own; returns its group_id. */
export async function insertGroup(
  connection: Connection,
  contextId: number,
  group: NewGroup,
): Promise<number> {
  const { rows } = await connection.query<{ groupId: number }>(
    `insert into counter_groups (context_id, guid, name, key_kind, bucket_size,
       topper_bucket_size, sampling_rate, enabled)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning group_id as "groupId"`,
    [
      contextId,
      group.guid,
      group.name,
      group.keyKind,
      group.bucketSize,
      group.topperBucketSize,
      group.samplingRate,
      group.enabled,
    ],
  );
  const groupId = Number(rows[0]?.groupId);
  if (group.partGuids.length > 0) await insertCrosskey(connection, groupId, group.partGuids);
  return groupId;
}

/** partGuids: parent first. */
const insertCrosskey = (connection: Connection, groupId: number, partGuids: readonly string[]) =>
  connection.query(
    `insert into crosskeys (group_id, parent_guid, crosskey_guid_1, crosskey_guid_2)
     values ($1, $2, $3, $4)`,
    [groupId, partGuids[0], partGuids[1], partGuids[2] ?? null],
  );

/**
 * Makes the keys of a group those of another group of the context, or (null) its own again. The
 * texts that they had move to the other group.
 */
export async function updateKeysOf(
  connection: Connection,
  groupId: number,
  keysOf: Guid | null,
): Promise<void> {
  await moveTexts(connection, groupId, keysOf);
  await connection.query(
    `update counter_groups g set keys_of = (
       select o.group_id from counter_groups o where o.context_id = g.context_id and o.guid = $2)
     where group_id = $1`,
    [groupId, keysOf],
  );
}

/**
 * Changes everything of a group except its GUID and `keysOf`. What stored data depend on may change only while
 * there are no data.
 */
export async function updateGroup(
  connection: Connection,
  groupId: number,
  group: NewGroup,
): Promise<void> {
  await connection.query(
    `update counter_groups set name = $2, key_kind = $3, bucket_size = $4, topper_bucket_size = $5,
       sampling_rate = $6, enabled = $7
     where group_id = $1`,
    [
      groupId,
      group.name,
      group.keyKind,
      group.bucketSize,
      group.topperBucketSize,
      group.samplingRate,
      group.enabled,
    ],
  );
  await connection.query('delete from crosskeys where group_id = $1', [groupId]);
  if (group.partGuids.length > 0) await insertCrosskey(connection, groupId, group.partGuids);
}

/**
 * Selects the ids of the groups of a context that ever had readings, or that have keys with texts.
 */
export async function selectGroupsWithData(
  connection: Connection,
  contextId: number,
): Promise<Set<number>> {
  const { rows } = await connection.query<{ groupId: number }>(
    `select group_id as "groupId" from counter_groups g
     where context_id = $1
       and (has_data or exists (select from key_texts t where t.group_id = g.group_id))`,
    [contextId],
  );
  return new Set(rows.map(({ groupId }) => groupId));
}

export type NewMeter = {
  id: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

/** Adds meters to a group, each in the next free slot: slots are never reused. */
export async function insertMeters(
  connection: Connection,
  groupId: number,
  meters: readonly NewMeter[],
): Promise<void> {
  await connection.query(
    `insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
     select $1, m.id, taken.slot + m.place, m.type, m.topcount, m.name, m.description, m.units
     from unnest($2::int[], $3::smallint[], $4::int[], $5::text[], $6::text[], $7::text[])
       with ordinality as m(id, type, topcount, name, description, units, place),
       (select coalesce(max(slot), 0) as slot from meters where group_id = $1) taken`,
    [
      groupId,
      meters.map(({ id }) => id),
      meters.map(({ type }) => type),
      meters.map(({ topcount }) => topcount),
      meters.map(({ name }) => name),
      meters.map(({ description }) => description),
      meters.map(({ units }) => units),
    ],
  );
}

/** Changes everything of a meter except its id and slot. */
export const updateMeter = async (
  connection: Connection,
  groupId: number,
  meter: NewMeter,
): Promise<void> => {
  await connection.query(
    `update meters set type = $3, topcount = $4, name = $5, description = $6, units = $7
     where group_id = $1 and meter_id = $2`,
    [groupId, meter.id, meter.type, meter.topcount, meter.name, meter.description, meter.units],
  );
};

export type MeterDescription = {
  readonly guid: string;
  readonly id: number;
  /** Only a meter with this description is changed. */
  readonly before: string;
  readonly after: string;
};

/** Replaces the descriptions of meters of a context, unless somebody has changed them. */
export async function replaceMeterDescriptions(
  connection: Connection,
  contextId: number,
  meters: readonly MeterDescription[],
): Promise<void> {
  await connection.query(
    `update meters m set description = d.after
     from counter_groups g,
       unnest($2::uuid[], $3::int[], $4::text[], $5::text[]) as d(guid, id, before, after)
     where g.context_id = $1 and g.guid = d.guid
       and m.group_id = g.group_id and m.meter_id = d.id and m.description = d.before`,
    [
      contextId,
      meters.map(({ guid }) => guid),
      meters.map(({ id }) => id),
      meters.map(({ before }) => before),
      meters.map(({ after }) => after),
    ],
  );
}

/** Returns whether the context has data: a slice, available or archived. */
export async function selectHasSlices(connection: Connection, contextId: number): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(
    'select exists (select from slices where context_id = $1) as found',
    [contextId],
  );
  return rows[0]?.found ?? false;
}

export type ContextProbe = { name: string; description: string | null };

export async function selectProbes(
  connection: Connection,
  contextId: number,
): Promise<ContextProbe[]> {
  const { rows } = await connection.query<ContextProbe>(
    'select name, description from probes where context_id = $1',
    [contextId],
  );
  return rows;
}

/** Creates the probe, or changes the one of that name. */
export const upsertProbe = async (
  connection: Connection,
  contextId: number,
  { name, description }: ContextProbe,
): Promise<void> => {
  await connection.query(
    `insert into probes (context_id, name, description) values ($1, $2, $3)
     on conflict (context_id, name) do update set description = excluded.description`,
    [contextId, name, description],
  );
};
