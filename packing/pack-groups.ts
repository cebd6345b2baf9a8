import type { Connection } from '../db/write/connection.ts';
import { type GroupRow, selectGroups } from '../db/write/select-groups.ts';
import { type Fold, foldOf } from '../domain/meter-type.ts';
import type { PackGroup } from './sorted-readings.ts';

/** shardCount: over how many shards the keys of the group are spread. */
export type StoredGroup = PackGroup & {
  readonly shardCount: number;
  readonly guid: string;
  readonly name: string;
  /** By slot − 1. */
  readonly meterIds: readonly (number | undefined)[];
};

/** All counter groups of a context by id, disabled ones too. */
export async function loadPackGroups(
  connection: Connection,
  contextId: number,
): Promise<Map<number, StoredGroup>> {
  const rows = await selectGroups(connection, contextId);
  return new Map(rows.map((row) => [row.groupId, packGroup(row)]));
}

const packGroup = (row: GroupRow): StoredGroup => ({
  groupId: row.groupId,
  guid: row.guid,
  name: row.name,
  meterIds: meterIds(row.meters),
  bucketSeconds: row.bucketSize,
  topperBucketSeconds: row.topperBucketSize,
  folds: slotFolds(row.meters),
  shardCount: row.shardCount,
});

function meterIds(meters: GroupRow['meters']): (number | undefined)[] {
  const ids: (number | undefined)[] = [];
  for (const { slot, id } of meters) ids[slot - 1] = id;
  return ids;
}

/** By slot − 1: how readings of the slot combine. */
export function slotFolds(
  meters: readonly { readonly slot: number; readonly type: number }[],
): (Fold | null)[] {
  const folds: (Fold | null)[] = [];
  for (const { slot, type } of meters) folds[slot - 1] = foldOf(type);
  return Array.from(folds, (fold) => fold ?? null);
}
