const HOUR = 3600;
const DAY = 86_400;

/** Days in a block of the coarsest resolutions, each twice the one below. */
const DAYS = [1, 2, 4, 8, 16, 32] as const;

/**
 * The lengths in seconds of the blocks of a group, ascending, each a multiple of the one before.
 * - `base`: its bucket, and up to an hour. Written with the samples themselves; a block of these
 *   that is not there has no readings.
 * - `coarse`: days and more. Made later, and used only where they are known to be whole.
 */
export type Resolutions = { readonly base: readonly number[]; readonly coarse: readonly number[] };

/** bucketSeconds divides a day. */
export function resolutionsOf(bucketSeconds: number): Resolutions {
  const base = [bucketSeconds];
  // Between seconds and the hour, a step that keeps the number of blocks at a window's ends small.
  if (bucketSeconds <= 6 && 60 % bucketSeconds === 0) base.push(60);
  if (bucketSeconds * 4 <= HOUR && HOUR % bucketSeconds === 0) base.push(HOUR);
  const coarse = DAYS.map((days) => days * DAY).filter((seconds) => seconds > bucketSeconds);
  return { base, coarse };
}

/** Within what the blocks of a base resolution are stored next to each other. */
export function runSeconds({ base }: Resolutions, level: number, sliceSeconds: number): number {
  const next = base[base.indexOf(level) + 1] ?? DAY;
  return Math.min(next, sliceSeconds);
}
