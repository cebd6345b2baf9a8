import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { clippedSteps, type Interval, shortestStep, stepsOf } from '../../domain/time/interval.ts';
import type { TopKeys } from '../../engine/toppers/topper-answers.ts';
import type { RequestScope } from '../request-scope.ts';
import { planOf, planTopper, type TopperPlan, type TopperRequest } from './topper-plan.ts';
import { askKeys, selectKeys, type Topper, topperOf, viewListed } from './toppers.ts';

/** Returns the topper of each step of the window, oldest first; the window clips the steps. */
export async function askTrend(
  scope: RequestScope,
  request: TopperRequest,
  every: number,
): Promise<Topper[]> {
  const plan = await planTopper(scope, request);
  checkEvery(plan, every);
  const { window, maxItems } = plan;
  const question = { kind: 'trend', stepSeconds: every, maxItems } as const;
  const { steps } = await askKeys(plan, window, { ...question, ...(await selectKeys(plan)) });
  const listed = steps.flatMap((step) => step.listed.map(({ key }) => key));
  const viewOf = await viewListed(plan, listed);
  // Not for a few keys: trends that continue without yielding are read together.
  if (listed.length > KEYS_AT_ONCE) await plan.meter.group.at.loaders.yieldToEventLoop();
  return clippedSteps(window, every).map((step, i) =>
    topperOf(planOfStep(plan, step), steps[i] as TopKeys, viewOf),
  );
}

/** Number of keys that take some milliseconds to arrange. */
const KEYS_AT_ONCE = 10_000;

/** Steps are counted by second: a step counts even if no bucket begins in it. */
const SECOND = 1;

/** Checks `every`. Errors: it is not a multiple of the group's bucket, or gives too many steps. */
function checkEvery({ meter, window }: TopperPlan, every: number): void {
  const { bucketSize: bucket } = meter.group.row;
  if (every < bucket || every % bucket !== 0) {
    throw malformed('every', `a positive multiple of the bucket size, ${bucket}`, every);
  }
  const { count } = stepsOf(window, SECOND, every);
  if (count <= LIMITS.trendSteps) return;
  const bounds = { multipleOf: bucket, min: bucket, max: LIMITS.trendSteps };
  const shortest = shortestStep(window, SECOND, bounds);
  const must = `long enough for at most ${LIMITS.trendSteps} steps, the shortest is ${shortest}`;
  throw malformed('every', must, `${every}, which gives ${count}`);
}

const planOfStep = (plan: TopperPlan, window: Interval): TopperPlan => planOf({ ...plan, window });
