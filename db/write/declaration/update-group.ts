import type { Connection } from '../../connection/connection.ts';
import { insertCrosskey, type NewGroup } from './insert-group.ts';

/**
 * Changes everything of a group except its GUID. What stored data depend on may change only while
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
