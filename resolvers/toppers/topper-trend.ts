import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { clippedSteps, type Interval, shortestStep, stepsOf } from '../../domain/time/interval.ts';
import type { TopKeys } from '../loaders/answers/topper-answers.ts';
import type { RequestScope } from '../request-scope.ts';
import { coveredPart, planTopper, type TopperPlan, type TopperRequest } from './topper-plan.ts';
import { askKeys, selectKeys, type Topper, topperOf, viewListed } from './toppers.ts';

/** The topper of each step of the request's window, oldest first; the window clips the steps. */
export async function askTrend(
  scope: RequestScope,
  request: TopperRequest,
  every: number,
): Promise<Topper[]> {
  const plan = await planTopper(scope, request);
  checkEvery(plan, every);
  const { window, maxItems } = plan;
  const question = { kind: 'trend', stepSeconds: every, maxItems } as const;
  const answer = await askKeys(plan, window, { ...question, ...(await selectKeys(plan)) });
  if (answer.kind !== 'trend') throw new Error('another question was answered');
  const listed = answer.steps.flatMap((step) => step.listed.map(({ key }) => key));
  const viewOf = await viewListed(plan, listed);
  // Not for a few: what all trends of a request ask for at the same time is read together.
  if (listed.length > KEYS_AT_ONCE) await plan.meter.group.at.loaders.takeTurn();
  return clippedSteps(window, every).map((step, i) =>
    topperOf(planOfStep(plan, step), answer.steps[i] as TopKeys, viewOf),
  );
}

/** So many keys are put in their places in some milliseconds. */
const KEYS_AT_ONCE = 10_000;

/** A step counts from its first second on, also where no bucket begins in it. */
const SECOND = 1;

/** Errors: it is no multiple of the group's bucket, or so short that there are too many steps. */
function checkEvery({ meter, window }: TopperPlan, every: number): void {
  const { bucketSize: bucket } = meter.group.row;
  if (every < bucket || every % bucket !== 0) {
    throw malformed('every', `a positive multiple of the bucket size, ${bucket}`, every);
  }
  const { count } = stepsOf(window, SECOND, every);
  if (count <= LIMITS.trendSteps) return;
  const bounds = { multipleOf: bucket, least: bucket, most: LIMITS.trendSteps };
  const shortest = shortestStep(window, SECOND, bounds);
  const must = `so long that there are at most ${LIMITS.trendSteps} steps, the shortest is ${shortest}`;
  throw malformed('every', must, `${every}, which gives ${count}`);
}

const planOfStep = (plan: TopperPlan, window: Interval): TopperPlan => ({
  ...plan,
  window,
  covered: coveredPart(window, plan.available),
});
