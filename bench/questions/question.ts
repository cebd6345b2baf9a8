import { BUCKET_SECONDS, START, TOPPER_BUCKET_SECONDS } from '../traffic/traffic.ts';

/** What every system is asked: the largest keys by a meter over a window. */
export type Question = {
  /** Epoch seconds, half open: a bucket belongs to the window its start lies in (decision 18). */
  readonly from: number;
  readonly to: number;
  /** An index of METERS. */
  readonly meter: number;
  readonly maxItems: number;
  /** Which keys may be listed. The total still includes all keys (decision 25). */
  readonly filter: KeyFilter | null;
  /** An RE2 pattern of keys that must not be listed. */
  readonly exclude: string | null;
  /** Percentiles of the listed keys' topper buckets (decision 27). */
  readonly ranks: readonly number[];
};

export type KeyFilter = {
  /** An RE2 pattern, searched anywhere in the raw key. */
  readonly pattern: string;
  /** The same keys as a range, if they form one: `first` inclusive, `below` exclusive. */
  readonly range: { readonly first: string; readonly below: string } | null;
};

/**
 * Returns the number of topper buckets in a key's series: those with at least one of the group's
 * buckets starting inside both the window and the data. The data have no gap from START to `end`.
 */
export function stepCount({ from, to }: Question, end: number): number {
  const first = ceilTo(Math.max(from, START), BUCKET_SECONDS);
  const last = ceilTo(Math.min(to, end), BUCKET_SECONDS) - BUCKET_SECONDS;
  if (last < first) return 0;
  const stepOf = (bucket: number): number => Math.floor(bucket / TOPPER_BUCKET_SECONDS);
  return stepOf(last) - stepOf(first) + 1;
}

/**
 * Nearest rank: the position, from 1, of a percentile in an ascending series of `count` values.
 * Computed in thousandths, because binary fractions cannot represent 99.9 exactly.
 */
export const placeOf = (rank: number, count: number): number =>
  Math.max(1, Math.ceil((Math.round(rank * 1000) * count) / 100_000));

const ceilTo = (at: number, step: number): number => Math.ceil(at / step) * step;
