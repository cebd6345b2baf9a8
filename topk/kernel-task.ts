import type { Fold } from '../domain/meter-type.ts';
import { type Answer, answerQuestions, type Question } from './answer-questions.ts';
import { type BlockPage, type BlockRange, type StoredRun, unpackPage } from './block-page.ts';
import { releaseFolded, type UnitReadings } from './fold-units.ts';
import { openUnits } from './open-units.ts';

/** Work that a thread can be given, as plain data: whatever is large lies in shared memory. */
export type KernelTask =
  | {
      readonly kind: 'unpack';
      readonly ranges: readonly BlockRange[];
      readonly runs: readonly StoredRun[];
    }
  | {
      readonly kind: 'fold';
      readonly fold: Fold;
      readonly units: readonly UnitReadings[];
      readonly questions: readonly Question[];
    };

export type KernelResult = BlockPage | readonly Answer[];

export function runKernelTask(task: KernelTask): KernelResult {
  switch (task.kind) {
    case 'unpack':
      return unpackPage(task.ranges, task.runs);
    case 'fold':
      return answerFold(task.units, task.fold, task.questions);
    default:
      return task satisfies never;
  }
}

function answerFold(
  units: readonly UnitReadings[],
  fold: Fold,
  questions: readonly Question[],
): readonly Answer[] {
  const folded = openUnits(units, fold);
  const answers = answerQuestions(folded, questions);
  // Not in a `finally`: what failed halfway is left to the garbage collector.
  releaseFolded(folded);
  return answers;
}
