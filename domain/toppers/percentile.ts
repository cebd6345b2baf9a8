import { malformed } from '../errors.ts';

/** Stands for an index: the value is one of the zeros that are not stored. */
export const ZERO = 'zero';

/**
 * Returns the index of a rank's value in an ascending series, counted from 0; null for an empty
 * series. The value is at position ⌈rank ÷ 100 · n⌉, counted from 1; rank 0 is the smallest value
 * (decision 27), and rank 100 the largest. `rank` is a number from 0 to 100.
 *
 * `zeros` is the number of zeros at the start of the series, in addition to its `count` values. A
 * counter has one for every topper bucket without a reading, and then no value is negative.
 */
export function nearestRank(count: number, rank: number, zeros: number): number | 'zero' | null {
  if (count + zeros === 0) return null;
  const position = Math.max(1, rankPosition(rank, zeros + count));
  return position <= zeros ? ZERO : position - zeros - 1;
}

/**
 * Up to here, doubles give the exact ceiling of a hundredth of an integer rank's product: it is
 * rounded by far less than the hundredth by which it can exceed an integer.
 */
const MOST_EXACT = 2 ** 32;

/**
 * Computes ⌈rank ÷ 100 · count⌉ in decimal, as the rank is written. In binary fractions
 * 99.9 ÷ 100 · 1000 is slightly more than 999, and its ceiling is one position too high.
 */
function rankPosition(rank: number, count: number): number {
  if (Number.isInteger(rank) && count < MOST_EXACT) return Math.ceil((rank * count) / 100);
  const [mantissa = '', exponent = '0'] = String(rank).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const numerator = BigInt(whole + fraction) * BigInt(count);
  const denominator = 100n * 10n ** BigInt(decimals);
  return Number((numerator + denominator - 1n) / denominator);
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Parses percentile ranks: in the order given, without duplicates. Each item may itself be a
 * comma-separated list (decision 1). Throws `malformedValue`, with the parameter's name, for an
 * invalid rank and for more than `most` ranks.
 */
export function parseRanks(items: readonly string[], name: string, most: number): number[] {
  const texts = items.flatMap((item) => item.split(','));
  const ranks = new Set(texts.map(parseRank));
  if (ranks.has(null)) throw malformed(name, 'a list of numbers from 0 to 100', items.join(','));
  if (ranks.size > most) {
    throw malformed(name, `a list of at most ${most} ranks`, ranks.size);
  }
  return [...ranks].filter((rank) => rank !== null);
}

function parseRank(text: string): number | null {
  if (!NUMBER.test(text)) return null;
  const rank = Number(text);
  // A Set treats -0 as 0, so "-0" is not a separate rank.
  return rank >= 0 && rank <= 100 ? rank : null;
}
