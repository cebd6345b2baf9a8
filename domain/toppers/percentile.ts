import { malformed } from '../errors.ts';

/** In place of a place: one of the zeros that nobody has to write down. */
export const ZERO = 'zero';

/**
 * Where in an ascending series the value of a rank stands: at position ⌈rank ÷ 100 · n⌉, counted
 * from 1, for rank 0 the smallest (decision 27); here counted from 0. null for an empty series.
 * `rank` is a number from 0 to 100.
 *
 * `zeros` is how many zeros the series begins with besides its `count` values: a counter has one
 * for every topper bucket without a reading, and then no value is negative.
 */
export function nearestRank(count: number, rank: number, zeros: number): number | 'zero' | null {
  if (count + zeros === 0) return null;
  const position = Math.max(1, rankPosition(rank, zeros + count));
  return position <= zeros ? ZERO : position - zeros - 1;
}

/**
 * Computed in decimal, as the rank is written: in binary fractions 99.9 ÷ 100 · 1000 is a little
 * more than 999, and its ceiling the position after the right one.
 */
function rankPosition(rank: number, count: number): number {
  const [mantissa = '', exponent = '0'] = String(rank).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const numerator = BigInt(whole + fraction) * BigInt(count);
  const denominator = 100n * 10n ** BigInt(decimals);
  return Number((numerator + denominator - 1n) / denominator);
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Percentile ranks in the order given, without duplicates. Each item may itself be a list with
 * commas (decision 1). Throws `malformedValue`, under the parameter's name, for what is no rank, and
 * for more than `most` of them.
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
  // A Set takes -0 for 0, so "-0" is no rank of its own.
  return rank >= 0 && rank <= 100 ? rank : null;
}
