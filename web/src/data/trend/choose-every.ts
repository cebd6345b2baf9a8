import { type BucketSizes, USUAL_LENGTHS } from '../choose-step.ts';

/** More columns are too narrow to point at. */
const MOST_COLUMNS = 100;

/** The server's limit. */
const MOST_STEPS = 1000;

const HOUR = 3600;

/** Returns the seconds of a step: the shortest usual length that gives few enough steps. */
export function chooseEvery(windowSeconds: number, sizes: BucketSizes | null): number {
  const bucketSize = sizes?.bucketSize ?? HOUR;
  const fits = usualSteps(bucketSize).find((every) => windowSeconds / every <= MOST_COLUMNS);
  return fits ?? bucketSize * Math.ceil(windowSeconds / (MOST_COLUMNS * bucketSize));
}

/** Returns the steps that the control offers for a window: at least two fit, but not too many. */
export const offeredSteps = (windowSeconds: number, sizes: BucketSizes | null): readonly number[] =>
  usualSteps(sizes?.bucketSize ?? HOUR).filter(
    (every) => windowSeconds / every <= MOST_STEPS && windowSeconds / every >= 2,
  );

const usualSteps = (bucketSize: number): readonly number[] =>
  [...new Set([bucketSize, ...USUAL_LENGTHS])]
    .filter((every) => every % bucketSize === 0)
    .sort((a, b) => a - b);
