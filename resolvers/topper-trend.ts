import { malformed } from '../domain/errors.ts';
import { type Interval, intersect, isEmpty, shortestStep, stepsOf } from '../domain/interval.ts';
import { LIMITS } from '../domain/limits.ts';
import type { RequestScope } from './request-scope.ts';
import { coveredPart, planTopper, type TopperPlan, type TopperRequest } from './topper-plan.ts';
import { loadTopper, type Topper } from './toppers.ts';

/** Steps are a second long at least, whatever the bucket: also one without a bucket is listed. */
const SECOND = 1;

/** The topper of each step of the request's window, oldest first; the window clips the steps. */
export async function askTrend(
  scope: RequestScope,
  request: TopperRequest,
  every: number,
): Promise<Topper[]> {
  const plan = await planTopper(scope, request);
  const steps = trendSteps(plan, every).map((window) => ofStep(plan, window));
  return Promise.all(steps.map(loadTopper));
}

/**
 * The steps of the epoch's grid that a window has part of, clipped to it. Errors: `every` is no
 * multiple of the group's bucket, or so short that there are too many steps.
 */
function trendSteps({ meter, window }: TopperPlan, every: number): Interval[] {
  const { bucket_size: bucket } = meter.group.row;
  if (every < bucket || every % bucket !== 0) {
    throw malformed('every', `a positive multiple of the bucket size, ${bucket}`, every);
  }
  if (isEmpty(window)) return [];
  const { first, count } = stepsOf(window, SECOND, every);
  if (count > LIMITS.trendSteps) {
    const bounds = { multipleOf: bucket, least: bucket, most: LIMITS.trendSteps };
    const shortest = shortestStep(window, SECOND, bounds);
    const must = `so long that there are at most ${LIMITS.trendSteps} steps, the shortest is ${shortest}`;
    throw malformed('every', must, `${every}, which gives ${count}`);
  }
  return Array.from({ length: count }, (_, i) => {
    const from = first + i * every;
    return intersect({ from, to: from + every }, window);
  });
}

const ofStep = (plan: TopperPlan, window: Interval): TopperPlan => ({
  ...plan,
  window,
  covered: coveredPart(window, plan.available),
});
