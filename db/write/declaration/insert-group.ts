import type { KeyKind } from '../../../domain/keys/key-kind.ts';
import type { Guid } from '../../../domain/text/guid.ts';
import type { Connection } from '../../connection/connection.ts';

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
};

/** Creates a counter group without meters; returns its group_id. */
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
export const insertCrosskey = (
  connection: Connection,
  groupId: number,
  partGuids: readonly string[],
) =>
  connection.query(
    `insert into crosskeys (group_id, parent_guid, crosskey_guid_1, crosskey_guid_2)
     values ($1, $2, $3, $4)`,
    [groupId, partGuids[0], partGuids[1], partGuids[2] ?? null],
  );
