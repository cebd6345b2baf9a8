import type { Connection } from '../../db/connection/connection.ts';
import { type GroupRow, selectGroups } from '../../db/sql/declaration.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { type Aggregate, aggregateOf } from '../../domain/toppers/meter-type.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { StoredSegment } from '../read/manifest.ts';

/** Returns the segment shape of each group of a context, by group id. */
export async function loadShapes(
  connection: Connection,
  contextId: number,
): Promise<Map<number, SegmentShape>> {
  const rows = await selectGroups(connection, contextId);
  const kinds = new Map(rows.map(({ guid, keyKind }) => [guid, keyKind]));
  return new Map(rows.map((row) => [row.groupId, shapeOf(row, kinds)]));
}

function shapeOf(row: GroupRow, kinds: ReadonlyMap<string, GroupRow['keyKind']>): SegmentShape {
  const slots = Math.max(0, ...row.meters.map(({ slot }) => slot));
  const aggregates = new Array<Aggregate | null>(slots).fill(null);
  for (const { slot, type } of row.meters) aggregates[slot - 1] = aggregateOf(type);
  return {
    keyKind: row.keyKind,
    partKinds: row.keyKind === 'crosskey' ? row.partGuids.map((of) => partKind(kinds, of)) : null,
    bucketSeconds: row.bucketSize,
    topperBucketSeconds: row.topperBucketSize,
    aggregates,
  };
}

/**
 * Returns the kind of a part, from the kinds of all groups by GUID. `apply` ensures that parts are
 * groups of the context and not themselves cross-key groups.
 */
export function partKind(
  kinds: ReadonlyMap<string, GroupRow['keyKind']>,
  guid: string,
): SimpleKeyKind {
  const kind = kinds.get(guid);
  if (kind === undefined || kind === 'crosskey') {
    throw new Error(`the part group ${guid} of a cross-key group is missing or a cross-key group`);
  }
  return kind;
}

/**
 * Reads the shape of one group. Read it after the manifest, so that it has every meter that the
 * segments have.
 */
export async function loadShape(
  connection: Connection,
  contextId: number,
  groupId: number,
): Promise<SegmentShape> {
  const shape = (await loadShapes(connection, contextId)).get(groupId);
  if (!shape) throw new Error(`the group ${groupId} of a segment is gone`);
  return shape;
}

/** Throws if the segment has meters that the shape lacks; they would be left out. */
export function requireAllMeters(
  { segmentId, directory }: StoredSegment,
  { aggregates }: SegmentShape,
): void {
  const { slots } = directory();
  if (slots <= aggregates.length) return;
  throw new Error(
    `Segment ${segmentId} has ${slots} meters, its group only ${aggregates.length}: ` +
      'read the group after the manifest',
  );
}
