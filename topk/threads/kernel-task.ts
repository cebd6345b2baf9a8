import type { KeyFilter } from '../../domain/filters/key-filter.ts';
import type { NetworkLengths } from '../../domain/filters/network-lengths.ts';
import type { Fold } from '../../domain/toppers/meter-type.ts';
import { type KeySet, sharedMemory } from '../../segments/filter/key-set.ts';
import { keyMatcher } from '../../segments/filter/match-keys.ts';
import { matchNetworks } from '../../segments/filter/match-networks.ts';
import type { OwnLabels } from '../../segments/filter/plain-texts.ts';
import { type FormedNetworks, formNetworks } from '../../segments/keys/form-networks.ts';
import { type KeyKinds, keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { type UnitedKeys, uniteKeys } from '../../segments/keys/unite-keys.ts';
import { type Answer, answerKernelQueries, type KernelQuery } from '../answer-kernel-queries.ts';
import { type BlocksWanted, decodeBlocks, type SegmentBlock } from '../blocks/decode-blocks.ts';
import { type BlocksOfList, groupBlocks, type KeyedColumn } from '../blocks/group-blocks.ts';
import {
  foldNetworkSteps,
  type NetworkSteps,
  type NetworkStepsQuestion,
} from '../blocks/network-steps.ts';
import { releaseFolded, type UnitReadings } from '../fold/fold-units.ts';
import { openUnits } from '../fold/open-units.ts';
import { foldTrend, type TrendPart, type TrendQuestion, type TrendStep } from '../fold-trend.ts';
import { type BoundAnswer, type BoundQuestion, boundRanks } from '../select/bound-ranks.ts';
import { type ChangeAnswer, type ChangeQuestion, rankChanges } from '../select/rank-changes.ts';
import {
  type BoundsToJoin,
  boundSteps,
  keptBounds,
  type MappedBounds,
  type StepBounds,
  type StepsToBound,
} from '../select/step-bounds.ts';

/** A search for keys of a kind; labels null: the search does not use labels. */
export type KeySearch = KeyKinds & {
  readonly filter: KeyFilter;
  readonly labels: OwnLabels | null;
};

/** A search for networks; `keys` of the task are the keys of the networks. */
export type NetworkSearch = { readonly networks: KeyFilter };

/** The blocks of each step of a trend, and the question for every step. */
export type TrendSteps = {
  readonly fold: Fold;
  readonly steps: readonly (readonly TrendPart[])[];
  readonly question: TrendQuestion;
};

/** A task for a worker thread, as plain data: large arrays lie in shared memory. */
export type KernelTask =
  | { readonly kind: 'decode'; readonly wanted: readonly BlocksWanted[] }
  | { readonly kind: 'unite'; readonly lists: readonly KeyList[] }
  | { readonly kind: 'match'; readonly keys: KeyList; readonly search: KeySearch | NetworkSearch }
  | {
      readonly kind: 'networks';
      readonly lists: readonly KeyList[];
      readonly lengths: NetworkLengths;
    }
  | { readonly kind: 'group'; readonly fold: Fold; readonly lists: readonly BlocksOfList[] }
  | { readonly kind: 'networkSteps'; readonly question: NetworkStepsQuestion }
  | {
      readonly kind: 'fold';
      readonly fold: Fold;
      readonly units: readonly UnitReadings[];
      readonly questions: readonly KernelQuery[];
    }
  | {
      readonly kind: 'changes';
      readonly fold: Fold;
      readonly now: readonly UnitReadings[];
      readonly before: readonly UnitReadings[];
      readonly questions: readonly ChangeQuestion[];
    }
  | ({ readonly kind: 'trend' } & TrendSteps)
  | { readonly kind: 'steps'; readonly wanted: readonly StepsToBound[] }
  | { readonly kind: 'join'; readonly wanted: BoundsToJoin }
  | {
      readonly kind: 'bounds';
      readonly fold: Fold;
      readonly apart: readonly (readonly MappedBounds[])[];
      readonly question: BoundQuestion;
    };

export type KernelResult =
  | readonly (readonly SegmentBlock[])[]
  | UnitedKeys
  | KeySet
  | readonly FormedNetworks[]
  | readonly (readonly KeyedColumn[])[]
  | readonly NetworkSteps[]
  | readonly Answer[]
  | readonly TrendStep[]
  | readonly ChangeAnswer[]
  | readonly StepBounds[]
  | StepBounds
  | BoundAnswer;

export function runKernelTask(task: KernelTask): KernelResult {
  switch (task.kind) {
    case 'decode':
      return task.wanted.map(decodeBlocks);
    case 'unite':
      return uniteKeys(task.lists, sharedMemory);
    case 'match':
      return matchKeys(task.keys, task.search);
    case 'networks':
      return task.lists.map((keys) => formNetworks(keys, task.lengths, sharedMemory));
    case 'group':
      return groupBlocks(task.fold, task.lists);
    case 'networkSteps':
      return foldNetworkSteps(task.question);
    case 'fold':
      return answerFold(task.units, task.fold, task.questions);
    case 'changes':
      return compareFolds(task);
    case 'trend':
      return foldTrend(task.fold, task.steps, task.question);
    case 'steps':
      return task.wanted.map(boundSteps);
    case 'join':
      return keptBounds(task.wanted);
    case 'bounds':
      return boundRanks(task.fold, task.apart, task.question);
    default:
      return task satisfies never;
  }
}

function matchKeys(keys: KeyList, search: KeySearch | NetworkSearch): KeySet {
  if ('networks' in search) return matchNetworks(keys, search.networks);
  const { filter, labels, ...kinds } = search;
  const matches = keyMatcher(keyCodecOf(kinds), filter);
  return matches(keys, labels ? { labels } : {});
}

function answerFold(
  units: readonly UnitReadings[],
  fold: Fold,
  questions: readonly KernelQuery[],
): readonly Answer[] {
  const folded = openUnits(units, fold);
  const answers = answerKernelQueries(folded, questions);
  // Not in a `finally`: after an error, the garbage collector frees the memory.
  releaseFolded(folded);
  return answers;
}

function compareFolds({
  fold,
  now,
  before,
  questions,
}: KernelTask & { readonly kind: 'changes' }): readonly ChangeAnswer[] {
  const windows = { now: openUnits(now, fold), before: openUnits(before, fold) };
  const answers = rankChanges(windows, questions);
  releaseFolded(windows.now);
  releaseFolded(windows.before);
  return answers;
}
