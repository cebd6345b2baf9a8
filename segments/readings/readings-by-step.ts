import type { SegmentShape } from '../shape.ts';
import { coarserReadings, type Readings } from './readings.ts';

/**
 * Adds up readings over each of several steps, all multiples of their buckets. Infinity means a
 * single step. Each is computed from the longest step that divides it, which has the fewest rows.
 */
export function readingsByStep(
  readings: Readings,
  { bucketSeconds, folds }: SegmentShape,
  steps: readonly number[],
): ReadonlyMap<number, Readings> {
  const byStep = new Map([[bucketSeconds, readings]]);
  for (const step of [...new Set(steps)].sort((a, b) => a - b)) {
    if (byStep.has(step)) continue;
    const finer = [...byStep].findLast(([seconds]) => divides(seconds, step))?.[1] ?? readings;
    byStep.set(step, startingWith(coarserReadings(finer, step, folds), step, readings));
  }
  return byStep;
}

const divides = (seconds: number, step: number): boolean =>
  step === Number.POSITIVE_INFINITY || step % seconds === 0;

/** A single step starts with the first bucket, not with the hour that contains it. */
function startingWith(coarse: Readings, step: number, { starts }: Readings): Readings {
  return step === Number.POSITIVE_INFINITY ? { ...coarse, starts: starts.slice(0, 1) } : coarse;
}
