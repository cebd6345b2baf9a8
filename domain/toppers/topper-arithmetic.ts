import { type Interval, isEmpty } from '../time/interval.ts';
import { divideHalfUp, type Exact } from './exact.ts';
import { type Aggregate, isCounting } from './meter-type.ts';

/** How a meter's exact values become the numbers that callers see. */
export type MeterRule = {
  readonly aggregate: Aggregate;
  /** Decision 28: the factor of every shown value. */
  readonly samplingRate: number;
  /** The divisor of a rate's volume. */
  readonly topperBucketSeconds: number;
};

/**
 * Converts an exact value to `metric`: applies the sampling rate, then rounds once at the end
 * (decisions 23 and 28). A rate is its volume divided by `stepSeconds`: the topper bucket, or in a
 * series the step of that series.
 */
export function shownValue(
  value: Exact,
  rule: MeterRule,
  stepSeconds: number = rule.topperBucketSeconds,
): bigint {
  const sampled = value.sum * BigInt(rule.samplingRate);
  switch (rule.aggregate) {
    case 'rate':
      return divideHalfUp(sampled, BigInt(stepSeconds));
    case 'mean':
      return divideHalfUp(sampled, value.count);
    case 'sum':
    case 'max':
    case 'min':
      return sampled;
    default:
      return rule.aggregate satisfies never;
  }
}

/** Combines the values of several keys by the meter's rule; null without any. */
export function combine(values: Iterable<Exact>, aggregate: Aggregate): Exact | null {
  let all: { sum: bigint; count: bigint } | null = null;
  for (const { sum, count } of values) {
    if (all === null) all = { sum, count };
    else if (aggregate === 'max') all.sum = sum > all.sum ? sum : all.sum;
    else if (aggregate === 'min') all.sum = sum < all.sum ? sum : all.sum;
    else {
      all.sum += sum;
      if (aggregate === 'mean') all.count += count;
    }
  }
  return all;
}

/** Decision 24: "Nothing remaining: 0". */
export const shownTotal = (value: Exact | null, rule: MeterRule): bigint =>
  value === null ? 0n : shownValue(value, rule);

/** Decision 24: an all-zero key of a counter is not listed or counted. */
export const isListable = (value: Exact, aggregate: Aggregate): boolean =>
  !isCounting(aggregate) || value.sum !== 0n;

/** Volume over the window in the meter's base unit, sampled; null if a sum is meaningless. */
export const volumeOf = (value: Exact, rule: MeterRule): bigint | null =>
  isCounting(rule.aggregate) ? value.sum * BigInt(rule.samplingRate) : null;

/** Volume per second of the covered interval; null if that is empty or a sum is meaningless. */
export function averageRateOf(value: Exact, rule: MeterRule, covered: Interval): number | null {
  const volume = volumeOf(value, rule);
  return volume === null || isEmpty(covered) ? null : Number(volume) / (covered.to - covered.from);
}

/** Share of the total, 0 to 1; null if a sum is meaningless or the total is zero or missing. */
export function shareOf(value: Exact, total: Exact | null, aggregate: Aggregate): number | null {
  if (!isCounting(aggregate) || total === null || total.sum === 0n) return null;
  return ratio(value.sum, total.sum);
}

/** a ÷ b as a float. b is not zero. */
export const ratio = (a: bigint, b: bigint): number => Number(a) / Number(b);
