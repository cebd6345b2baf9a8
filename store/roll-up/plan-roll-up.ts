import { isSealed } from '../../domain/slices/segment-level.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { groupBy } from '../../domain/toppers/group-by.ts';
import { MOST_SOURCES } from '../../segments/roll-up/roll-up-shape.ts';
import type { Manifest, RollUp, StoredSegment } from '../read/manifest.ts';

/*
 * Which roll-up is made next. A window of many slices would have to read each of them, and to unite
 * their keys; with roll-ups over 4, 16 and 64 slices it reads the few that fill it, and slices at
 * its ends:
 *
 *     slices     0 1 2 3 4 5 6 7 8 9 …
 *     4          └─────┘ └─────┘ └──
 *     16         └──────────────────
 *     window       [1 2 3][4 … 7][8 9]       four keys lists are united, not nine
 *
 * Spans begin at multiples of their length since 1970, so which ones there are does not depend on
 * when anything was imported. The sources of one are the roll-ups of the shorter spans within it,
 * and segments that lie in none. A group with several probes has roll-ups of each of them, and
 * others of all together, which begin with single slices.
 *
 * A roll-up is made when its time is over and all of it is sealed. Late segments are not among its
 * sources and are read beside it, until they have a quarter as many keys as it; then it is made
 * anew. So what is written again pays for itself, as in merges (store/merge/plan-merge.ts).
 */

/** The probe of a roll-up of all probes. */
export const ALL_PROBES = -1;

/** So many neighbours become one. */
const FAN_IN = 4;

const LONGEST_SECONDS = 64 * 86_400;

/** A roll-up is made anew when what it lacks has so many keys, as a part of its own. */
const WORTH_IT = 1 / 4;

export type RollUpPlan = {
  /** The same roll-up has the same name each time that it is planned. */
  readonly name: string;
  readonly groupId: number;
  /** ALL_PROBES: of all. */
  readonly probeId: number;
  /** In order of time. */
  readonly sources: readonly StoredSegment[];
  /** The roll-up that it is made in place of. */
  readonly replaces: RollUp | null;
};

/** Epoch seconds, half open. */
export type SliceSpan = { readonly startsAt: number; readonly endsAt: number };

/** Times in epoch seconds. */
export type RollUpTimes = {
  readonly slices: ReadonlyMap<number, SliceSpan>;
  readonly now: number;
  /** For how long a span must be over. */
  readonly sealAfterSeconds: number;
};

/** The next roll-up of a context, but for those of these names; null: nothing is to do. */
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

/** The lengths of a slice and of roll-ups, ascending. */
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

/** What may be a source; at: when the first slice of it begins. */
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
  /** The length of the spans that it is made of; null: it is a slice. */
  readonly within: number | null;
  readonly existing: RollUp | null;
};

/** A roll-up that is to be made, or what stands for the span in longer ones. */
function planSpan(
  { groupId, probeId, manifest, times, without }: Chain,
  { seconds, start, within, existing }: Span,
  candidates: readonly Candidate[],
): RollUpPlan | Candidate[] {
  const wanted = candidates
    .toSorted((a, b) => byKeyCount(a.segment, b.segment))
    .slice(0, MOST_SOURCES);
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
  // A source that was alone in its shorter span may have got a roll-up there with what came late.
  const below = new Set(readingsOf(existing, manifest));
  const rest = candidates.filter(
    ({ segment }) => !readingsOf(segment, manifest).some((segmentId) => below.has(segmentId)),
  );
  return [{ segment: existing, at: start }, ...rest];
}

/** By id, the segments of readings that a roll-up was made of in the end; of any other, itself. */
export function readingsOf({ segmentId }: StoredSegment, manifest: Manifest): number[] {
  const collect = (id: number): number[] =>
    manifest.rollUps.get(id)?.sources.flatMap(collect) ?? [id];
  return collect(segmentId);
}

/** Most keys first; of as many the same ones each time, or another set would be made anew. */
const byKeyCount = (a: StoredSegment, b: StoredSegment): number =>
  b.keyCount - a.keyCount || a.segmentId - b.segmentId;

const keysOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, { segment }) => sum + segment.keyCount, 0);

/** The roll-ups of a chain by length and start: the shortest span that has all of their slices. */
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
