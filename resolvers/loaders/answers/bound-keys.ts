import type { TimeBound } from '../../../db/session/read-session.ts';
import { floorTo } from '../../../domain/time/interval.ts';
import { groupBy } from '../../../domain/toppers/group-by.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import { coverSteps } from '../../../topk/cover/cover-segment.ts';
import { openSource } from '../kernel/read-source.ts';
import { openParts, passingKeys, startedUnits, wantParts } from '../kernel/read-units.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import { uniteParts } from '../keys/parts-union.ts';
import { isOfRead } from '../plan/is-of-read.ts';
import type { KeySelection, SegmentGroup } from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { blocksOf, type SegmentPart } from '../plan/plan-segments.ts';
import { SectionWishes, type SegmentReader } from '../session/segment-reader.ts';

const HOUR = 3600;

export type BoundKeysRead = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly selection: KeySelection;
  /** Which of a key's topper buckets is bounded, counted from the largest; 1: the largest. */
  readonly rank: number;
  readonly maxItems: number;
};

/** most: an upper bound of the value. */
export type BoundedKey = { readonly key: string; readonly most: number };

/**
 * Returns the keys whose topper buckets may have the largest values, by bounds derived from hours:
 * largest bound first, and of equal ones the smaller key. Errors: the meter's fold has no bounds.
 */
export async function boundKeys(
  reader: SegmentReader,
  live: readonly StoredSegment[],
  { group, read, selection, rank, maxItems }: BoundKeysRead,
  bound: TimeBound | null,
): Promise<{ readonly keys: readonly BoundedKey[]; readonly keyCount: number }> {
  const { topperBucketSeconds } = group.shape;
  const stepSeconds = stepOf(topperBucketSeconds);
  const parts = stepParts(live, read, stepSeconds);
  const wishes = new SectionWishes();
  const known = openParts(reader);
  wantParts(known, { group, read, parts }, wishes);
  const sectionsOf = await wishes.read(reader, bound);
  await Promise.all([known.blocks.decode(sectionsOf), known.keys.decode(sectionsOf)]);
  const source = await openSource(reader, { group, read, parts }, known);
  const union = await uniteParts(reader, parts, source);
  const named = { keys: union.keys, codec: source.codec };
  const passing = selection.passing && (await passingKeys(reader, union, selection.passing));
  const units = startedUnits(reader, { read, parts, union, blocks: source.blocks });
  const steps = groupBy(units, ({ start }) => floorTo(start, stepSeconds));
  const { keys, keyCount } = await reader.threadPool.bound(
    { fold: read.fold, steps: [...steps.values()].map((step) => step.map(({ unit }) => unit)) },
    {
      within: selection.within && ordinalsWithin(selection.within, named),
      passing,
      rank,
      bucketsOfStep: stepSeconds / topperBucketSeconds,
      maxItems,
    },
    reader.signal,
  );
  return {
    keys: keys.map(({ ordinal, most }) => ({
      key: source.codec.decode(keyAt(union.keys, ordinal)),
      most,
    })),
    keyCount,
  };
}

/** Hours, or a multiple of hours and of topper buckets: both divide a day. */
function stepOf(topperBucketSeconds: number): number {
  let seconds = HOUR;
  while (seconds % topperBucketSeconds !== 0) seconds += HOUR;
  return seconds;
}

/** Blocks that lie within one step each. Roll-ups have none as short. */
const stepParts = (
  live: readonly StoredSegment[],
  read: MeterRead,
  stepSeconds: number,
): SegmentPart[] =>
  live
    .filter((segment) => isOfRead(segment, read))
    .flatMap((segment) => {
      const runs = coverSteps(read.interval, blocksOf(segment, read), stepSeconds);
      return runs.length === 0 ? [] : [{ segment, cover: { runs, less: [] }, above: [] }];
    });
