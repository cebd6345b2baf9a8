import { generationEnd } from '../../domain/slices/page-generation.ts';
import {
  isSealed,
  isSettled,
  SEALED_LEVEL,
  SETTLED_LEVEL,
} from '../../domain/slices/segment-level.ts';

/*
 * Decides which segments of one group, probe and slice are merged next, and into what.
 *
 * While a slice is being filled, twelve neighbouring segments of a level become one of the next
 * level. When a generation of imports is over (domain/slices/page-generation.ts), its live segments
 * become one settled segment. When the slice is over and nothing has arrived for a while, all open
 * segments become one sealed segment. So in a day of 1,440 commits, each reading is written four
 * times: as imported, at level 1, settled and sealed. With eight instead of twelve there would be a
 * level 2. At any time there are at most eleven segments as imported, ten of level 1 and twelve
 * settled ones.
 *
 * Late segments are merged among themselves in the same way, and once nothing has arrived for a
 * while they are sealed too, so that the tables of open pages can be dropped. The largest sealed
 * segment that is at most twice as large as the new segments and all smaller sealed ones together
 * is rewritten along with all of these:
 *
 *     sealed   1000                late  30     →  1000  30       the large one is left alone
 *     sealed   1000  30            late  20     →  1000  50
 *     sealed   1000  400           late 150     →  1550           1000 ≤ 2 · (400 + 150)
 *
 * So each rewrite grows the segment by at least half: a reading that is sealed in s bytes and ends
 * in S is written at most log1.5(S / s) times, and a day's sealed segment is untouched until half
 * as much data has arrived late. And as each sealed segment is more than twice as large as all
 * smaller ones together, there are few: at most log3(S / s) + 1.
 */

/** Number of segments of a level that become one of the next. */
export const MERGE_FAN_IN = 12;

/**
 * The same for settled segments: those of a day stay until it is sealed, those of a week do not.
 */
const SETTLED_FAN_IN = 24;

/**
 * Maximum inputs of a merge, which holds a range of each in memory (store/write/range-limits.ts).
 */
export const MAX_INPUTS = 48;

/**
 * How long a slice that is over must have received nothing before it is sealed, and how long after
 * its end a generation is settled: imports that began before its end are over by then.
 */
export const SEAL_AFTER_SECONDS = 900;

/** How much larger a sealed segment may be than the rest of the inputs it is rewritten with. */
const MAX_GROWTH = 2;

/** A live segment. Times in epoch seconds. */
export type MergeCandidate = {
  readonly segmentId: number;
  readonly level: number;
  readonly firstBucket: number;
  readonly lastBucket: number;
  readonly sizeBytes: number;
  readonly importedAt: number;
};

/** Epoch seconds. */
type MergeTime = {
  /** End of the slice; Infinity if it is not known to be over. */
  readonly endsAt: number;
  readonly now: number;
  /** SEAL_AFTER_SECONDS, or less if it is known that nothing more will arrive. */
  readonly sealAfterSeconds: number;
};

export type MergePlan<Candidate extends MergeCandidate> = {
  readonly inputs: readonly Candidate[];
  /** Level of the merged segment. */
  readonly level: number;
};

/** Returns when the last readings of the inputs were imported, in epoch seconds. */
export const importedAtOf = ({ inputs }: MergePlan<MergeCandidate>): number =>
  Math.max(...inputs.map(({ importedAt }) => importedAt));

/**
 * Returns the next merge for the live segments of a group, probe and slice; null if none is due.
 */
export function planMerge<Candidate extends MergeCandidate>(
  segments: readonly Candidate[],
  time: MergeTime,
): MergePlan<Candidate> | null {
  const open = segments.filter(({ level }) => !isSealed(level));
  if (open.length === 0) return null;
  if (!isQuiet(open, time)) return planSettling(open, time) ?? planLevel(open);
  const sealed = segments.filter(({ level }) => isSealed(level));
  const inputs = [...open, ...sealedToRewrite(open, sealed)];
  if (inputs.length <= MAX_INPUTS) return { inputs, level: SEALED_LEVEL };
  return planLevel(open) ?? planSmallest(open);
}

/**
 * Counts the segments of a group, probe and slice that are due to be merged; 0 if no merge is due.
 */
export function countWaiting(segments: readonly MergeCandidate[], time: MergeTime): number {
  const open = segments.filter(({ level }) => !isSealed(level));
  if (open.length === 0) return 0;
  if (isQuiet(open, time)) return open.length;
  const isWaiting = isOfOverGeneration(time);
  const counts = new Map<number, number>();
  for (const segment of open) {
    if (isWaiting(segment)) continue;
    counts.set(segment.level, (counts.get(segment.level) ?? 0) + 1);
  }
  return Array.from(counts).reduce(
    (sum, [level, count]) => (count < fanInOf(level) ? sum : sum + count),
    open.filter(isWaiting).length,
  );
}

function isQuiet(open: readonly MergeCandidate[], time: MergeTime): boolean {
  const since = time.now - time.sealAfterSeconds;
  return time.endsAt <= since && open.every(({ importedAt }) => importedAt <= since);
}

const isOfOverGeneration =
  ({ now, sealAfterSeconds }: MergeTime) =>
  ({ level, importedAt }: MergeCandidate): boolean =>
    !isSettled(level) && generationEnd(importedAt) <= now - sealAfterSeconds;

/** Plans the merge of live segments of generations that are over. */
function planSettling<Candidate extends MergeCandidate>(
  open: readonly Candidate[],
  time: MergeTime,
): MergePlan<Candidate> | null {
  const inputs = open.filter(isOfOverGeneration(time));
  if (inputs.length === 0) return null;
  if (inputs.length <= MAX_INPUTS) return { inputs, level: SETTLED_LEVEL };
  return planLevel(inputs) ?? planSmallest(inputs);
}

/** Picks the lowest level with enough segments, and from it those closest together in time. */
function planLevel<Candidate extends MergeCandidate>(
  open: readonly Candidate[],
): MergePlan<Candidate> | null {
  const levels = [...new Set(open.map(({ level }) => level))].sort((a, b) => a - b);
  for (const level of levels) {
    const own = open.filter((segment) => segment.level === level);
    if (own.length < fanInOf(level)) continue;
    return { inputs: closest(own, fanInOf(level)), level: nextLevel(level) };
  }
  return null;
}

const fanInOf = (level: number): number => (isSettled(level) ? SETTLED_FAN_IN : MERGE_FAN_IN);

/** Merging by levels never settles a segment. */
const nextLevel = (level: number): number =>
  Math.min(level + 1, (isSettled(level) ? SEALED_LEVEL : SETTLED_LEVEL) - 1);

function closest<Candidate extends MergeCandidate>(
  segments: readonly Candidate[],
  count: number,
): Candidate[] {
  const byTime = segments.toSorted(
    (a, b) =>
      a.firstBucket - b.firstBucket || a.lastBucket - b.lastBucket || a.segmentId - b.segmentId,
  );
  let best = byTime.slice(0, count);
  for (let from = 1; from + count <= byTime.length; from += 1) {
    const each = byTime.slice(from, from + count);
    if (spanSeconds(each) < spanSeconds(best)) best = each;
  }
  return best;
}

const spanSeconds = (segments: readonly MergeCandidate[]): number =>
  Math.max(...segments.map(({ lastBucket }) => lastBucket)) -
  Math.min(...segments.map(({ firstBucket }) => firstBucket));

/** Used when there are too many segments for one merge, but too few of any level. */
function planSmallest<Candidate extends MergeCandidate>(
  open: readonly Candidate[],
): MergePlan<Candidate> {
  const inputs = open.toSorted((a, b) => a.sizeBytes - b.sizeBytes).slice(0, MERGE_FAN_IN);
  return { inputs, level: nextLevel(Math.max(...inputs.map(({ level }) => level))) };
}

function sealedToRewrite<Candidate extends MergeCandidate>(
  open: readonly Candidate[],
  sealed: readonly Candidate[],
): Candidate[] {
  const bySize = sealed.toSorted((a, b) => a.sizeBytes - b.sizeBytes);
  let bytes = open.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let count = 0;
  for (const [i, { sizeBytes }] of bySize.entries()) {
    if (sizeBytes <= MAX_GROWTH * bytes) count = i + 1;
    bytes += sizeBytes;
  }
  return bySize.slice(0, count);
}
