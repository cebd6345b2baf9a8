import { LIMITS } from '../domain/limits.ts';
import type { Interval } from './graph.ts';
import { ToolFault } from './tool-fault.ts';

type Wish = { readonly step?: number | undefined; readonly maxPoints: number };

/**
 * Returns the seconds between the points of a series: the requested step, or the smallest multiple
 * of the topper bucket that puts at most `maxPoints` points in the window. Error: `ToolFault` if
 * the requested step gives more points than an answer may have.
 */
export function chooseStep(window: Interval, bucketSeconds: number, wish: Wish): number {
  const { step, maxPoints } = wish;
  const smallest = smallestStep(window, bucketSeconds, maxPoints);
  if (step === undefined) return smallest;
  const points = pointsIn(window, step);
  if (points <= LIMITS.mcpPoints) return step;
  throw new ToolFault(
    `step ${step} gives ${points} points in this window, at most ${LIMITS.mcpPoints} are returned: ` +
      `give a step of at least ${smallestStep(window, bucketSeconds, LIMITS.mcpPoints)}`,
  );
}

function smallestStep(window: Interval, bucketSeconds: number, maxPoints: number): number {
  const { from, to } = window;
  let buckets = Math.max(1, Math.ceil((to - from) / (bucketSeconds * maxPoints)));
  // Steps are aligned to the epoch, so the first and the last may extend beyond the window.
  while (maxPoints > 1 && pointsIn(window, buckets * bucketSeconds) > maxPoints) buckets += 1;
  return buckets * bucketSeconds;
}

const pointsIn = ({ from, to }: Interval, step: number): number =>
  Math.ceil(to / step) - Math.floor(from / step);
