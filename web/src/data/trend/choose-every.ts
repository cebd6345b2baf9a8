import type { BucketSizes } from '../choose-step.ts';

/** More columns are too narrow to point at. */
const MOST_COLUMNS = 100;

/** The most that the server answers. */
const MOST_STEPS = 1000;

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Lengths that divide hours, days or weeks, as people count them. */
const LENGTHS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * DAY),
];

/** Seconds of a step: the shortest usual length of which the window has few enough. */
export function chooseEvery(windowSeconds: number, sizes: BucketSizes | null): number {
  const bucketSize = sizes?.bucketSize ?? HOUR;
  const fits = usualSteps(bucketSize).find((every) => windowSeconds / every <= MOST_COLUMNS);
  return fits ?? bucketSize * Math.ceil(windowSeconds / (MOST_COLUMNS * bucketSize));
}

/** What the control offers for a window: steps of which it has at least two, and not too many. */
export const offeredSteps = (windowSeconds: number, sizes: BucketSizes | null): readonly number[] =>
  usualSteps(sizes?.bucketSize ?? HOUR).filter(
    (every) => windowSeconds / every <= MOST_STEPS && windowSeconds / every >= 2,
  );

const usualSteps = (bucketSize: number): readonly number[] =>
  [...new Set([bucketSize, ...LENGTHS])]
    .filter((every) => every % bucketSize === 0)
    .sort((a, b) => a - b);
