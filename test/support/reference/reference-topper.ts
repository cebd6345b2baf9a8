import type { DeclaredGroup } from '../lab/lab.ts';
import type { Line } from '../lab/service.ts';

/** A question to a topper, in the terms of the REST endpoint. */
export type ReferenceQuestion = {
  readonly group: DeclaredGroup;
  readonly meter: number;
  readonly from: number;
  readonly to: number;
  readonly probe?: string | undefined;
  readonly maxItems?: number;
  /** Whether a key passes the filters. */
  readonly passes?: (key: string) => boolean;
  /** With at most three decimals. */
  readonly ranks?: readonly number[];
};

export type ReferenceKey = {
  readonly key: string;
  readonly metric: bigint;
  readonly percentiles: readonly { readonly rank: number; readonly value: bigint }[];
};

export type ReferenceAnswer = {
  readonly total: bigint;
  readonly others: bigint;
  readonly othersMatching: bigint;
  /** How many keys had a reading and passed the filter. */
  readonly keyCount: number;
  readonly keys: readonly ReferenceKey[];
};

/** Aggregated readings: the value of any meter follows from these, whatever its type. */
export type Tally = { sum: bigint; count: bigint; max: bigint; min: bigint };

/** The value of a tally before it is rounded. */
type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

const COUNTERS = [2, 3];
const RATES = [1, 4, 10];
const MAXIMA = [8, 11];

/**
 * The topper of decisions 18 and 23 to 28, written as plainly as possible: it goes through every
 * imported line, and shares no code with the service.
 */
export function referenceTopper(
  lines: readonly Line[],
  question: ReferenceQuestion,
): ReferenceAnswer {
  const { group, meter, ranks = [] } = question;
  const ofGroup = lines.filter((line) => line.group === group.guid && isOfProbe(line, question));
  const inside = ofGroup.filter((line) => isInWindow(bucketOf(line, group), question));
  const answer = topperOf(
    talliesBy(inside, meter, ({ key }) => key),
    question,
  );
  if (ranks.length === 0) return answer;
  const steps = topperSteps(ofGroup, question);
  const type = typeOf(group, meter);
  const keys = answer.keys.map((ranked) => {
    const buckets = topperBuckets(inside, ranked.key, steps, question);
    const values = buckets.map((each) => halfUp(fractionOf(each, group, type)));
    return { ...ranked, percentiles: percentilesOf(values, ranks) };
  });
  return { ...answer, keys };
}

/** The topper for each key's tally of the window, without percentiles. */
export function topperOf(
  tallies: ReadonlyMap<string, Tally>,
  question: ReferenceQuestion,
): ReferenceAnswer {
  const { group, meter, maxItems = 100, passes = () => true } = question;
  const type = typeOf(group, meter);
  const counted = [...tallies].filter(([, tally]) => !isCounting(type) || tally.sum !== 0n);
  const ranked = counted.sort((a, b) => {
    const left = fractionOf(a[1], group, type);
    const right = fractionOf(b[1], group, type);
    const difference = right.numerator * left.denominator - left.numerator * right.denominator;
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    return Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
  });
  const matching = ranked.filter(([key]) => passes(key));
  const listed = matching.slice(0, maxItems);
  const listedKeys = new Set(listed.map(([key]) => key));
  const rest = (from: typeof ranked) => from.filter(([key]) => !listedKeys.has(key));
  const shown = (from: typeof ranked) =>
    from.length === 0 ? 0n : halfUp(fractionOf(sumUp(from.map(([, tally]) => tally)), group, type));
  return {
    total: shown(ranked),
    others: shown(rest(ranked)),
    othersMatching: shown(rest(matching)),
    keyCount: matching.length,
    keys: listed.map(([key, tally]) => ({
      key,
      metric: halfUp(fractionOf(tally, group, type)),
      percentiles: [],
    })),
  };
}

export const isOfProbe = (line: Line, { probe }: ReferenceQuestion): boolean =>
  probe === undefined || line.probe === probe;

export const bucketOf = ({ ts }: Line, { bucket_size }: DeclaredGroup): number =>
  Math.floor(ts / bucket_size) * bucket_size;

export const isInWindow = (bucket: number, { from, to }: { from: number; to: number }): boolean =>
  bucket >= from && bucket < to;

const typeOf = (group: DeclaredGroup, meter: number): number =>
  group.meters.find(({ id }) => id === meter)?.type ?? 0;

const isCounting = (type: number): boolean => COUNTERS.includes(type) || RATES.includes(type);

export function talliesBy<Place>(
  lines: readonly Line[],
  meter: number,
  placeOf: (line: Line) => Place,
): Map<Place, Tally> {
  const tallies = new Map<Place, Tally>();
  for (const line of lines) {
    const value = line.values[meter];
    if (value === undefined) continue;
    const reading = BigInt(value);
    const one = { sum: reading, count: BigInt(line.count ?? 1), max: reading, min: reading };
    const known = tallies.get(placeOf(line));
    tallies.set(placeOf(line), known ? sumUp([known, one]) : one);
  }
  return tallies;
}

/** Needs at least one tally. */
const sumUp = (tallies: readonly Tally[]): Tally =>
  tallies.reduce((a, b) => ({
    sum: a.sum + b.sum,
    count: a.count + b.count,
    max: a.max > b.max ? a.max : b.max,
    min: a.min < b.min ? a.min : b.min,
  }));

function fractionOf(
  { sum, count, max, min }: Tally,
  { topper_bucket_size, sampling_rate }: DeclaredGroup,
  type: number,
): Fraction {
  const rate = BigInt(sampling_rate);
  if (COUNTERS.includes(type)) return { numerator: sum * rate, denominator: 1n };
  if (RATES.includes(type)) {
    return { numerator: sum * rate, denominator: BigInt(topper_bucket_size) };
  }
  if (MAXIMA.includes(type)) return { numerator: max * rate, denominator: 1n };
  if (type === 12) return { numerator: min * rate, denominator: 1n };
  return { numerator: sum * rate, denominator: count };
}

/** ⌊value + ½⌋ */
function halfUp({ numerator, denominator }: Fraction): bigint {
  const dividend = 2n * numerator + denominator;
  const divisor = 2n * denominator;
  const truncated = dividend / divisor;
  return dividend % divisor < 0n ? truncated - 1n : truncated;
}

/** Decision 27: topper buckets with a bucket of the group in both window and available data. */
function topperSteps(
  ofGroup: readonly Line[],
  { group, from, to }: ReferenceQuestion,
): ReadonlySet<number> {
  const { bucket_size, topper_bucket_size } = group;
  const buckets = ofGroup.map((line) => bucketOf(line, group));
  const available = { from: Math.min(...buckets), to: Math.max(...buckets) + bucket_size };
  const steps = new Set<number>();
  for (let bucket = available.from; bucket < available.to; bucket += bucket_size) {
    if (isInWindow(bucket, { from, to })) {
      steps.add(Math.floor(bucket / topper_bucket_size) * topper_bucket_size);
    }
  }
  return steps;
}

/** The tally of the key's readings in each of these topper buckets. */
function topperBuckets(
  inside: readonly Line[],
  key: string,
  steps: ReadonlySet<number>,
  { group, meter }: ReferenceQuestion,
): Tally[] {
  const { topper_bucket_size } = group;
  const tallies = talliesBy(
    inside.filter((line) => line.key === key),
    meter,
    (line) => Math.floor(line.ts / topper_bucket_size) * topper_bucket_size,
  );
  const nothing = { sum: 0n, count: 1n, max: 0n, min: 0n };
  const isCounted = isCounting(typeOf(group, meter));
  return [...steps].flatMap((step) => tallies.get(step) ?? (isCounted ? [nothing] : []));
}

/** Nearest rank: the value at position ⌈p/100·n⌉ of the ascending values, the first for p = 0. */
function percentilesOf(
  values: readonly bigint[],
  ranks: readonly number[],
): { rank: number; value: bigint }[] {
  const ascending = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return ranks.flatMap((rank) => {
    const position = Math.ceil((Math.round(rank * 1000) * ascending.length) / 100_000);
    const value = ascending[Math.max(1, position) - 1];
    return value === undefined ? [] : [{ rank, value }];
  });
}
