import type { Connection } from '../db/connection/connection.ts';
import { type GroupRow, selectGroups } from '../db/sql/declaration.ts';
import { type Guid, storedGuid } from '../domain/text/guid.ts';
import { aggregateOf } from '../domain/toppers/meter-type.ts';
import { partKind } from '../store/shapes/load-shapes.ts';
import type { ImportGroup, ImportMeter } from './import-group.ts';

/** Loads all counter groups of a context, including disabled ones. */
export async function loadGroups(
  connection: Connection,
  contextId: number,
): Promise<Map<Guid, ImportGroup>> {
  const rows = await selectGroups(connection, contextId);
  const kinds = new Map(rows.map((row) => [storedGuid(row.guid), row.keyKind]));
  return new Map(
    rows.map((row) => {
      const group = groupOf(row, kinds);
      return [group.guid, group];
    }),
  );
}

function groupOf(row: GroupRow, kinds: ReadonlyMap<Guid, GroupRow['keyKind']>): ImportGroup {
  const meters = row.meters.map(
    ({ id, type, slot }): ImportMeter => ({
      id,
      type,
      meterIndex: slot - 1,
      aggregate: aggregateOf(type),
    }),
  );
  const aggregates: ImportGroup['aggregates'][number][] = [];
  for (const { meterIndex, aggregate } of meters) aggregates[meterIndex] = aggregate;
  const partGuids = row.partGuids.map(storedGuid);
  return {
    groupId: row.groupId,
    keysGroupId: row.keysGroupId,
    guid: storedGuid(row.guid),
    keyKind: row.keyKind,
    bucketSeconds: row.bucketSize,
    topperBucketSeconds: row.topperBucketSize,
    meters: new Map(meters.map((meter) => [meter.id, meter])),
    aggregates: Array.from(aggregates, (aggregate) => aggregate ?? null),
    partGuids,
    partKinds: partGuids.map((guid) => partKind(kinds, guid)),
  };
}
