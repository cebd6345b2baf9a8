import type { TestService } from '../lab/service.ts';
import {
  bucketOf,
  isInWindow,
  isOfProbe,
  type ReferenceAnswer,
  type ReferenceQuestion,
  referenceTopper,
  type Tally,
  talliesBy,
  topperOf,
} from './reference-topper.ts';

type Imported = Pick<TestService, 'imported'>;

/** Toppers without percentiles, from the imported lines. */
export const plainToppers = (
  lab: Imported,
  context: string,
  questions: readonly ReferenceQuestion[],
): ReferenceAnswer[] =>
  questions.map((question) => referenceTopper(lab.imported(context), { ...question, ranks: [] }));

/** By the start of each step with readings, the step's topper, as plainToppers computes it. */
export function plainSteps(
  lab: Imported,
  context: string,
  question: ReferenceQuestion,
  step: number,
): Map<number, (more: Partial<ReferenceQuestion>) => ReferenceAnswer> {
  const { group, meter } = question;
  const steps = new Map<number, Map<string, Tally>>();
  const inside = lab
    .imported(context)
    .filter((line) => line.group === group.guid && isOfProbe(line, question))
    .filter((line) => isInWindow(bucketOf(line, group), question));
  const stepOf = (bucket: number) => bucket - (bucket % step);
  for (const at of new Set(inside.map((line) => stepOf(bucketOf(line, group))))) {
    const own = inside.filter((line) => stepOf(bucketOf(line, group)) === at);
    const tallies = talliesBy(own, meter, ({ key }) => key);
    if (tallies.size > 0) steps.set(at, tallies);
  }
  // A rate is shown as its volume divided by the step.
  const shown = { ...question, group: { ...group, topper_bucket_size: step } };
  return new Map(
    [...steps].map(([at, tallies]) => [at, (more) => topperOf(tallies, { ...shown, ...more })]),
  );
}
