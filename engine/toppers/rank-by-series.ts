import type { Deadline } from '../../db/session/read-session.ts';
import { compareExact, type Exact, NO_READING } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { nearestRank, ZERO } from '../../domain/toppers/percentile.ts';
import { answerSegments } from '../answer/answer-segments.ts';
import { hasBounds } from '../kernel/select/step-bounds.ts';
import type { AnswerOf, RankedKeys, SegmentGroup, SeriesQuestion } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import type { ScopedSegments } from '../plan/scoped-segment.ts';
import { readKeyValues } from '../series/key-series.ts';
import { readNetworkSteps } from '../series/network-steps.ts';
import { type TalliedValues, valuesOfSeries } from '../series/percentiles.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { type BoundedKey, boundKeys } from './bound-keys.ts';

/** A question about the series of a group's keys. */
type RequestedRanking = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly question: SeriesQuestion;
};

type SearchSizes = {
  /** Number of bounds computed first: in a skewed group these are enough. */
  readonly firstKeys: number;
  /** Number of keys whose series are read first. Their values show how many more may be needed. */
  readonly firstRead: number;
  /** Maximum number of keys whose series are in memory at once. */
  readonly keysAtOnce: number;
};

const SIZES: SearchSizes = { firstKeys: 4096, firstRead: 512, keysAtOnce: 1024 };

/** The topper buckets of all networks are read at once: maximum number of values. */
const NETWORK_VALUES = 4_000_000;
const MAX_NETWORKS = 16_384;

/** Reading one network costs as much as reading many, so many are read at once. */
function sizesOf({ read, question }: RequestedRanking): SearchSizes {
  if (read.prefix === null) return SIZES;
  const fitting = Math.floor(NETWORK_VALUES / Math.max(1, question.bucketCount));
  const networks = Math.min(MAX_NETWORKS, Math.max(SIZES.firstRead, fitting));
  return { firstKeys: networks, firstRead: networks, keysAtOnce: networks };
}

/** Factor by which more bounds are computed next if the first ones were not enough. */
const MORE_KEYS = 4;

/** A key whose topper buckets were read, and the value that ranks it. */
type Candidate = { readonly key: string; readonly value: Exact };

type Search = {
  readonly reader: SegmentReader;
  readonly live: ScopedSegments;
  readonly requested: RequestedRanking;
  readonly deadline: Deadline | null;
};

/**
 * Ranks keys by one topper bucket of each: the largest, or a percentile. Only a key's series
 * contains that value, and a group may have millions of keys. But a key's hours give an upper bound
 * of it (engine/kernel/select/step-bounds.ts). So the series are read in the order of their bounds,
 * until the wanted number of keys have at least the next bound: no other key can rank before them.
 * Means and minima have no bounds: for these the series of every key is read.
 */
export async function rankBySeries(
  reader: SegmentReader,
  live: ScopedSegments,
  requested: RequestedRanking,
  {
    deadline,
    sizes = sizesOf(requested),
  }: { readonly deadline: Deadline | null; readonly sizes?: SearchSizes },
): Promise<RankedKeys> {
  const search: Search = { reader, live, requested, deadline };
  const { maxItems } = requested.question;
  const first: Candidate[] = [];
  let looked = 0;
  for (let limit = Math.max(sizes.firstKeys, maxItems * 2); ; limit *= MORE_KEYS) {
    const { keys, isAll } = await likelyKeys(search, limit);
    while (looked < keys.length) {
      const count = looked === 0 ? sizes.firstRead : sizes.keysAtOnce;
      const some = keys
        .slice(looked, looked + count)
        .filter((key) => mayRank(first, key, maxItems));
      // Bounds descend: if one is too small, so are all that follow.
      if (some.length === 0) return choose(search, first);
      looked = Math.min(keys.length, looked + count);
      await lookAt(search, some, first);
    }
    const last = keys.at(-1);
    if (isAll || !last || !mayRank(first, last, maxItems)) return choose(search, first);
  }
}

type Likely = { readonly keys: readonly BoundedKey[]; readonly isAll: boolean };

/** Returns the first `wanted` keys in the order of their bounds. */
async function likelyKeys(
  { reader, live, requested, deadline }: Search,
  limit: number,
): Promise<Likely> {
  const { group, read, question } = requested;
  const { within, passing } = question;
  if (hasBounds(read.aggregate)) {
    const wantedKeys = {
      group,
      read,
      selection: { within, passing },
      rank: rankOf(requested),
      maxItems: limit,
    };
    const { keys, keyCount } = await boundKeys(reader, live.segments, wantedKeys, deadline);
    return { keys, isAll: keys.length === keyCount };
  }
  const top = { kind: 'top', within, passing, maxItems: limit } as const;
  const [answer] = await answerSegments(reader, live, [{ group, read, question: top }], deadline);
  const { listed, keyCount } = answer as AnswerOf<typeof top>;
  const keys = listed.map(({ key }) => ({ key, bound: Number.POSITIVE_INFINITY }));
  return { keys, isAll: keys.length === keyCount };
}

/** Which of a counter's topper buckets is wanted, counted from the largest. */
function rankOf({ read, question: { percentile, bucketCount } }: RequestedRanking): number {
  if (percentile === null || !isCounting(read.aggregate)) return 1;
  const index = nearestRank(bucketCount, percentile, 0);
  return typeof index === 'number' ? bucketCount - index : 1;
}

/**
 * Reads the series of keys, and adds those that are among the first. A key whose bound is 0 has
 * only zeros there.
 */
async function lookAt(
  { reader, live, requested, deadline }: Search,
  keys: readonly BoundedKey[],
  first: Candidate[],
): Promise<void> {
  const { group, read, question } = requested;
  const isZero = ({ bound }: BoundedKey): boolean => bound === 0 && isCounting(read.aggregate);
  const open = keys.filter((each) => !isZero(each));
  const stepSeconds = group.shape.topperBucketSeconds;
  const requests = open.map(({ key }) => ({ group, read, stepSeconds, key }));
  const valuesOf = read.prefix
    ? (await readNetworkSteps(reader, live.segments, requests, { deadline })).map(valuesOfSeries)
    : await readKeyValues(reader, live.segments, requests, deadline);
  for (const [i, { key }] of open.entries()) {
    const min = minToRank(first, question.maxItems);
    const value = valueIn(valuesOf[i] as TalliedValues, requested, min);
    if (value) admit(first, { key, value }, question.maxItems);
    await reader.pause();
  }
  for (const { key } of keys.filter(isZero)) {
    admit(first, { key, value: NO_READING }, question.maxItems);
  }
}

/** Keys with smaller values cannot be among the first; −∞: any key may be. */
function minToRank(first: readonly Candidate[], maxItems: number): number {
  const worst = first[maxItems - 1]?.value;
  return worst?.count === 1n ? Number(worst.sum) : Number.NEGATIVE_INFINITY;
}

/** Adds a candidate in its place, and removes the last one if there are too many. */
function admit(first: Candidate[], candidate: Candidate, maxItems: number): void {
  let from = 0;
  let to = first.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (inOrder(first[middle] as Candidate, candidate) < 0) from = middle + 1;
    else to = middle;
  }
  if (from === maxItems) return;
  first.splice(from, 0, candidate);
  if (first.length > maxItems) first.pop();
}

/**
 * Decision 27. null: the key has no reading, or its value is less than `min`. Counting the values
 * that are large enough takes a fraction of the time that selecting one takes.
 */
function valueIn(
  { tally, select }: TalliedValues,
  { read, question }: RequestedRanking,
  min: number,
): Exact | null {
  const { percentile, bucketCount } = question;
  const { count, reaching } = tally(min);
  const zeros = isCounting(read.aggregate) ? bucketCount - count : 0;
  const index = nearestRank(count, percentile ?? 100, zeros);
  if (index === null) return null;
  if (index === ZERO) return NO_READING;
  return reaching < count - index ? null : (select(() => [index])[0] ?? null);
}

/** Decision 24: the larger first; of equal ones, the one whose raw form is smaller. */
const inOrder = (a: Candidate, b: Candidate): number =>
  compareExact(b.value, a.value) || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));

/** Whether a key, or one that follows it in the order of bounds, may be among the first. */
function mayRank(
  first: readonly Candidate[],
  { key, bound }: BoundedKey,
  maxItems: number,
): boolean {
  const worst = first[maxItems - 1];
  if (!worst || !Number.isFinite(bound)) return true;
  return inOrder(worst, { key, value: { sum: BigInt(bound), count: 1n } }) > 0;
}

/** Returns the chosen keys with their values in the window, and the rest. */
async function choose(
  { reader, live, requested, deadline }: Search,
  first: readonly Candidate[],
): Promise<RankedKeys> {
  const { group, read, question } = requested;
  const { within, passing } = question;
  const keys = first.map(({ key }) => key);
  const chosen = { kind: 'chosen', within, passing, keys } as const;
  const [answer] = await answerSegments(
    reader,
    live,
    [{ group, read, question: chosen }],
    deadline,
  );
  const { values, ...totals } = answer as AnswerOf<typeof chosen>;
  const listed = first.map(({ key, value: compared }, i) => ({
    key,
    value: values[i] ?? null,
    compared,
  }));
  return { ...totals, kind: 'ranked', listed };
}
