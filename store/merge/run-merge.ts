import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { MEBIBYTE } from '../../domain/byte-units.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { mergeRanges } from '../../segments/merge/merge-ranges.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import type { StoredSegment } from '../read/manifest.ts';
import { fetchToMerge, segmentRanges } from '../read/segment-ranges.ts';
import { requireAllMeters } from '../shapes/load-shapes.ts';
import { type WrittenSegment, writeSegment } from '../write/write-segment.ts';
import { importedAtOf, type MergePlan } from './plan-merge.ts';

/** Bytes of inputs whose pages are fetched in one statement: about one range of each. */
const FETCHED_TOGETHER = 4 * MEBIBYTE;

/** A merge of segments of one group, probe and slice of a context. */
type MergeJob = {
  readonly contextId: number;
  readonly plan: MergePlan<StoredSegment>;
  /** As the group is declared now, or at any time after the youngest input was written. */
  readonly shape: SegmentShape;
  /** The clock, epoch seconds. */
  readonly now: () => number;
};

/**
 * Writes the contents of the inputs as one segment and publishes it in their place, in the caller's
 * transaction, which must be committed at once. Memory holds one range of each input and the pages
 * of one range. Errors: SegmentsGone, MissingPages, MissingPartition, DamagedSegment; after any of
 * them a rollback leaves everything as it was.
 */
export async function runMerge(
  connection: Connection,
  { contextId, plan, shape, now }: MergeJob,
): Promise<WrittenSegment> {
  const { inputs, level } = plan;
  const [first] = inputs;
  if (!first) throw new Error('a merge has at least one input');
  for (const input of inputs) requireAllMeters(input, shape);
  const codec = keyCodecOf(shape);
  const source = copiesOf(connection);
  const sizeBytes = inputs.reduce((sum, input) => sum + input.sizeBytes, 0);
  const known = sizeBytes <= FETCHED_TOGETHER ? await fetchToMerge(source, inputs) : null;
  const streams = inputs.map((input) => segmentRanges(source, input, { shape, codec, known }));
  const { groupId, probeId, sliceId } = first;
  const scope = { groupId, probeId, sliceId, level, importedAt: importedAtOf(plan) };
  const merged = await writeSegment(connection, scope, {
    shape,
    codec,
    span: {
      first: Math.min(...inputs.map(({ firstBucket }) => firstBucket)),
      last: Math.max(...inputs.map(({ lastBucket }) => lastBucket)),
    },
    ranges: mergeRanges(streams, shape),
  });
  const removed = inputs.map(({ segmentId }) => segmentId);
  await publishSegments(connection, {
    contextId,
    changes: 'layout',
    added: [merged],
    removed,
    at: now(),
  });
  return merged;
}
