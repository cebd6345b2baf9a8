import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { NO_SLICE, SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { rollUpShape } from '../../segments/roll-up-shape.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import { replaceSegments } from '../publish/replace-segments.ts';
import type { Manifest, StoredSegment } from '../read/manifest.ts';
import { loadShape, requireAllMeters } from '../shapes/load-shapes.ts';
import { type WrittenSegment, writeSegment } from '../write/write-segment.ts';
import type { RollUpPlan } from './plan-roll-up.ts';
import { sourceRanges } from './source-ranges.ts';

type PlannedRollUp = { readonly manifest: Manifest; readonly plan: RollUpPlan };

/**
 * Writes and publishes a roll-up in a transaction of its own. busy, stale and errors: as for a
 * merge (store/merge/merge-planned.ts).
 */
export const makeRollUp = (
  connection: Connection,
  { manifest, plan }: PlannedRollUp,
  now: () => number,
): Promise<WrittenSegment | 'busy' | 'stale'> =>
  replaceSegments(
    connection,
    {
      manifest,
      inputs: plan.replaces ? [...plan.sources, plan.replaces] : plan.sources,
      partition: { table: 'sealed_segment_pages', sliceId: NO_SLICE },
    },
    async () => {
      const { contextId } = manifest;
      const shape = await loadShape(connection, contextId, plan.groupId);
      const written = await writeRollUp(connection, plan, shape);
      await publishSegments(connection, {
        contextId,
        changes: 'layout',
        added: [written],
        removed: plan.replaces ? [plan.replaces.segmentId] : [],
        at: now(),
      });
      return written;
    },
  );

async function writeRollUp(
  connection: Connection,
  { groupId, probeId, sources }: RollUpPlan,
  shape: SegmentShape,
): Promise<WrittenSegment> {
  for (const source of sources) requireAllMeters(source, shape);
  const codec = keyCodecOf(shape);
  const times = (of: (source: StoredSegment) => number): number[] => sources.map(of);
  const importedAt = Math.max(...times((source) => source.importedAt));
  const scope = { groupId, probeId, sliceId: NO_SLICE, level: SEALED_LEVEL, importedAt };
  const written = await writeSegment(connection, scope, {
    shape: rollUpShape(shape),
    codec,
    isRollUp: true,
    span: { first: 0, last: sources.length - 1 },
    ranges: sourceRanges(copiesOf(connection), { sources, shape, codec }),
  });
  return {
    ...written,
    firstBucket: Math.min(...times(({ firstBucket }) => firstBucket)),
    lastBucket: Math.max(...times(({ lastBucket }) => lastBucket)),
    sources: times(({ segmentId }) => segmentId),
  };
}
