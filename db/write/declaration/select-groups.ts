import type { KeyKind } from '../../../domain/keys/key-kind.ts';
import type { Connection } from '../../connection/connection.ts';

export type MeterRow = {
  id: number;
  slot: number;
  type: number;
  topcount: number;
  name: string;
  description: string;
  units: string;
};

/** Guids as PostgreSQL writes a uuid. partGuids: of a cross-key, parent first; else empty. */
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
