import { type Fault, faultOfProblem, type GraphQLProblem } from './fault.ts';

/** The place of a part in an answer: names of fields, and positions in lists. */
export type AnswerPath = readonly (string | number)[];

/** Returns why a part of an answer, or something within it, failed; null if nothing did. */
export function faultAt(problems: readonly GraphQLProblem[], part: AnswerPath): Fault | null {
  const problem = problems.find(({ path }) => isWithin(path ?? [], part));
  return problem ? faultOfProblem(problem) : null;
}

/** Returns why something outside of these parts failed; null if nothing did. */
export function faultElsewhere(
  problems: readonly GraphQLProblem[],
  parts: readonly AnswerPath[],
): Fault | null {
  const problem = problems.find(({ path }) => !parts.some((part) => isWithin(path ?? [], part)));
  return problem ? faultOfProblem(problem) : null;
}

const isWithin = (path: AnswerPath, part: AnswerPath): boolean =>
  part.every((step, index) => path[index] === step);
