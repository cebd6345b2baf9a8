import type { Fold } from '../domain/meter-type.ts';
import type { KeyList } from '../segments/keys/key-list.ts';
import { type UnitedKeys, uniteKeys } from '../segments/keys/unite-keys.ts';
import { type Answer, answerQuestions, type Question } from './answer-questions.ts';
import { type BlockPage, type BlockRange, type StoredRun, unpackPage } from './block-page.ts';
import { type BlocksWanted, decodeBlocks, type SegmentBlock } from './decode-blocks.ts';
import { releaseFolded, type UnitReadings } from './fold-units.ts';
import { openUnits } from './open-units.ts';

/** Work that a thread can be given, as plain data: whatever is large lies in shared memory. */
export type KernelTask =
  | {
      readonly kind: 'unpack';
      readonly ranges: readonly BlockRange[];
      readonly runs: readonly StoredRun[];
    }
  | { readonly kind: 'decode'; readonly wanted: readonly BlocksWanted[] }
  | { readonly kind: 'unite'; readonly lists: readonly KeyList[] }
  | {
      readonly kind: 'fold';
      readonly fold: Fold;
      readonly units: readonly UnitReadings[];
      readonly questions: readonly Question[];
    };

export type KernelResult =
  | BlockPage
  | readonly (readonly SegmentBlock[])[]
  | UnitedKeys
  | readonly Answer[];

export function runKernelTask(task: KernelTask): KernelResult {
  switch (task.kind) {
    case 'unpack':
      return unpackPage(task.ranges, task.runs);
    case 'decode':
      return task.wanted.map(decodeBlocks);
    case 'unite':
      return uniteKeys(task.lists, sharedMemory);
    case 'fold':
      return answerFold(task.units, task.fold, task.questions);
    default:
      return task satisfies never;
  }
}

const sharedMemory = (sizeBytes: number) => new SharedArrayBuffer(sizeBytes);

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
