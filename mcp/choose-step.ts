import { LIMITS } from '../domain/limits.ts';
import { floorTo, type Interval, shortestStep, stepsOf } from '../domain/time/interval.ts';
import { ToolFault } from './tool-fault.ts';

type Wish = { readonly step?: number | undefined; readonly maxPoints: number };

/** In seconds; a topper bucket is a multiple of a bucket. */
type Grid = { readonly bucketSize: number; readonly topperBucketSize: number };

/**
 * Returns the seconds between the points of a series: the requested step, or the shortest multiple
 * of the topper bucket that gives at most `maxPoints` points. `covered` is the part of the window
 * that has data, because a series has no points elsewhere. Error: `ToolFault` if the requested step
 * gives more points than an answer may have.
 */
export function chooseStep(covered: Interval, grid: Grid, { step, maxPoints }: Wish): number {
  const { bucketSize, topperBucketSize } = grid;
  const shortest = (multipleOf: number, most: number): number => {
    const found = shortestStep(covered, bucketSize, { multipleOf, min: multipleOf, max: most });
    // Only centuries of data need more; their series then has a few points more than requested.
    return Math.min(found, floorTo(LIMITS.seriesStepSeconds, multipleOf));
  };
  if (step === undefined) return shortest(topperBucketSize, maxPoints);
  // GraphQL refuses a step that is not a multiple of the bucket.
  if (step % bucketSize !== 0) return step;
  const points = stepsOf(covered, bucketSize, step).count;
  if (points <= LIMITS.mcpPoints) return step;
  throw new ToolFault(
    `step ${step} gives ${points} points of the data in this window, ` +
      `at most ${LIMITS.mcpPoints} are returned: ` +
      `give a step of at least ${shortest(bucketSize, LIMITS.mcpPoints)}`,
  );
}
