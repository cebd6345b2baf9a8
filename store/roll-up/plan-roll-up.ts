import { groupBy } from '../../domain/group-by.ts';
import { isSealed } from '../../domain/slices/segment-level.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { MAX_SOURCES } from '../../segments/roll-up-shape.ts';
import type { Manifest, RollUp, StoredSegment } from '../read/manifest.ts';

/*
 * Decides which roll-up is made next. Without roll-ups, a window of many slices reads each of them
 * and unites their keys. With roll-ups over 4, 16, 64 and so on slices, up to 64 days, it reads the
 * few that fill it, and slices at its ends:
 *
 *     slices     0 1 2 3 4 5 6 7 8 9 …
 *     4          └─────┘ └─────┘ └──
 *     16         └──────────────────
 *     window       [1 2 3][4 … 7][8 9]       four key lists are united, not nine
 *
 * Spans begin at multiples of their length since 1970, so the set of spans does not depend on when
 * anything was imported. The sources of a roll-up are the roll-ups of the shorter spans within it,
 * and segments that are in none of those. A group with several probes has roll-ups for each probe,
 * and others for all probes together, which start at single slices.
 *
 * A roll-up is made when its span is over and fully sealed. Late segments are not among its sources
 * and are read in addition, until they have a quarter as many keys as the roll-up; then it is
 * rebuilt. So each rewrite pays for itself, as in merges (store/merge/plan-merge.ts).
 */

/** The probe of a roll-up of all probes. */
export const ALL_PROBES = -1;

/** Number of neighbouring spans that become one. */
const FAN_IN = 4;

const LONGEST_SECONDS = 64 * 86_400;

/** A roll-up is rebuilt when the keys it lacks reach this fraction of its own. */
const WORTH_IT = 1 / 4;

export type RollUpPlan = {
  /** The same each time that this roll-up is planned. */
  readonly name: string;
  readonly groupId: number;
  /** ALL_PROBES for a roll-up of all probes. */
  readonly probeId: number;
  /** In time order. */
  readonly sources: readonly StoredSegment[];
  /** The roll-up that this one replaces. */
  readonly replaces: RollUp | null;
};

/** Epoch seconds, half open. */
type SliceSpan = { readonly startsAt: number; readonly endsAt: number };

/** Times in epoch seconds. */
export type RollUpTimes = {
  readonly slices: ReadonlyMap<number, SliceSpan>;
  readonly now: number;
  /** How long a span must be over. */
  readonly sealAfterSeconds: number;
};

/** Returns the next roll-up of a context whose name is not in `without`; null if none is due. */
export function planRollUp(
  manifest: Manifest,
  times: RollUpTimes,
  without: ReadonlySet<string> = new Set(),
): RollUpPlan | null {
  const spans = spanSeconds(times.slices);
  const groups = groupBy([...manifest.segments.values()], ({ groupId }) => groupId);
  for (const [groupId, segments] of groups) {
    for (const { probeId, own } of chainsOf(segments)) {
      const chain = { groupId, probeId, segments: own, manifest, times, spans, without };
      const plan = planChain(chain);
      if (plan) return plan;
    }
  }
  return null;
}

/** Returns the length of a slice and those of roll-ups, in ascending order. */
function spanSeconds(slices: ReadonlyMap<number, SliceSpan>): number[] {
  const lengths = Array.from(slices.values(), ({ startsAt, endsAt }) => endsAt - startsAt);
  if (lengths.length === 0) return [];
  const spans = [Math.max(...lengths)];
  for (;;) {
    const next = (spans.at(-1) as number) * FAN_IN;
    if (next > LONGEST_SECONDS) return spans;
    spans.push(next);
  }
}

function* chainsOf(segments: readonly StoredSegment[]) {
  const probes = groupBy(segments, ({ probeId }) => probeId);
  for (const [probeId, own] of probes) yield { probeId, own };
  if (probes.size > 1) yield { probeId: ALL_PROBES, own: segments };
}

/** The roll-ups of a group and probe, or of all its probes. */
type Chain = {
  readonly groupId: number;
  readonly probeId: number;
  readonly segments: readonly StoredSegment[];
  readonly manifest: Manifest;
  readonly times: RollUpTimes;
  readonly spans: readonly number[];
  readonly without: ReadonlySet<string>;
};

/** A possible source. at: the start of its first slice. */
type Candidate = { readonly segment: StoredSegment; readonly at: number };

function planChain(chain: Chain): RollUpPlan | null {
  const { spans, times, probeId } = chain;
  const known = rollUpsOf(chain);
  let candidates = chain.segments.flatMap((segment): Candidate[] => {
    const slice = times.slices.get(segment.sliceId);
    return slice ? [{ segment, at: slice.startsAt }] : [];
  });
  for (const [i, seconds] of spans.entries()) {
    const within = spans[i - 1] ?? null;
    // A single slice of a single probe needs no roll-up.
    if (within === null && probeId !== ALL_PROBES) continue;
    const next: Candidate[] = [];
    for (const [start, inSpan] of groupBy(candidates, ({ at }) => floorTo(at, seconds))) {
      const span = { seconds, start, within, existing: known.get(`${seconds} ${start}`) ?? null };
      const found = planSpan(chain, span, inSpan);
      if (!Array.isArray(found)) return found;
      next.push(...found);
    }
    candidates = next;
  }
  return null;
}

type Span = {
  readonly seconds: number;
  readonly start: number;
  /** The length of the spans it is made of; null if it is a single slice. */
  readonly within: number | null;
  readonly existing: RollUp | null;
};

/** Returns a roll-up to make, or the segments that represent the span in longer ones. */
function planSpan(
  { groupId, probeId, manifest, times, without }: Chain,
  { seconds, start, within, existing }: Span,
  candidates: readonly Candidate[],
): RollUpPlan | Candidate[] {
  const wanted = candidates
    .toSorted((a, b) => byKeyCount(a.segment, b.segment))
    .slice(0, MAX_SOURCES);
  const parts = new Set(wanted.map(({ at }, i) => (within === null ? i : floorTo(at, within))));
  if (parts.size < 2) return [...candidates];
  const own = new Set(existing?.sources);
  const lacking = wanted.filter(({ segment }) => !own.has(segment.segmentId));
  const isWorthIt = !existing || keysOf(lacking) >= existing.keyCount * WORTH_IT;
  const isOver = start + seconds + times.sealAfterSeconds <= times.now;
  const name = `span ${groupId} ${probeId} ${seconds} ${start}`;
  const isSealedAll = candidates.every(({ segment }) => isSealed(segment.level));
  if (isWorthIt && isOver && isSealedAll && !without.has(name)) {
    const sources = wanted
      .map(({ segment }) => segment)
      .sort((a, b) => a.firstBucket - b.firstBucket || a.segmentId - b.segmentId);
    return { name, groupId, probeId, sources, replaces: existing };
  }
  if (!existing) return [...candidates];
  // A source that was alone in its shorter span may have a roll-up there now, with late segments.
  const below = new Set(readingsOf(existing, manifest));
  const rest = candidates.filter(
    ({ segment }) => !readingsOf(segment, manifest).some((segmentId) => below.has(segmentId)),
  );
  return [{ segment: existing, at: start }, ...rest];
}

/** Returns the ids of the reading segments under a roll-up; for any other segment, its own id. */
export function readingsOf({ segmentId }: StoredSegment, manifest: Manifest): number[] {
  const collect = (id: number): number[] =>
    manifest.rollUps.get(id)?.sources.flatMap(collect) ?? [id];
  return collect(segmentId);
}

/** Most keys first. Ties break the same way each time; otherwise another set would be rebuilt. */
const byKeyCount = (a: StoredSegment, b: StoredSegment): number =>
  b.keyCount - a.keyCount || a.segmentId - b.segmentId;

const keysOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, { segment }) => sum + segment.keyCount, 0);

/**
 * Returns the roll-ups of a chain by length and start of the shortest span that has their slices.
 */
function rollUpsOf({ groupId, probeId, manifest, times, spans }: Chain): Map<string, RollUp> {
  const starts = new Map<number, number[]>();
  const startsOf = (segmentId: number): number[] => {
    const known = starts.get(segmentId);
    if (known) return known;
    const segment = manifest.segments.get(segmentId);
    const slice = segment && times.slices.get(segment.sliceId);
    const sources = manifest.rollUps.get(segmentId)?.sources ?? [];
    const own = slice ? [slice.startsAt] : sources.flatMap(startsOf);
    const ends = own.length === 0 ? [] : [Math.min(...own), Math.max(...own)];
    starts.set(segmentId, ends);
    return ends;
  };
  const found = new Map<string, RollUp>();
  for (const rollUp of manifest.rollUps.values()) {
    if (rollUp.groupId !== groupId || rollUp.probeId !== probeId) continue;
    const [first = 0, last = 0] = startsOf(rollUp.segmentId);
    const seconds = spans.find((each) => floorTo(first, each) === floorTo(last, each));
    if (seconds !== undefined) found.set(`${seconds} ${floorTo(first, seconds)}`, rollUp);
  }
  return found;
}
