import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { type PatternFacts, patternFacts } from '../../../domain/filters/key-pattern.ts';
import type { NetworkLengths } from '../../../domain/filters/network-lengths.ts';
import { mapSliced, runWhole, type Sliced } from '../../../domain/sliced.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import { type KeySet, sharedMemory } from '../../../segments/filter/key-set.ts';
import { type KeyMatcher, keyMatcher } from '../../../segments/filter/match-keys.ts';
import { matchNetworks } from '../../../segments/filter/match-networks.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import { type FormedNetworks, formNetworks } from '../../../segments/keys/form-networks.ts';
import { type KeyKinds, keyCodecOf } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { type UnitedKeys, uniteInSlices } from '../../../segments/keys/unite-keys.ts';
import { type Answer, answerKernelQueries, type KernelQuery } from '../answer-kernel-queries.ts';
import { decodeBlock, type SegmentBlock, type StoredBlock } from '../blocks/decode-blocks.ts';
import { type BlocksOfList, groupBlocks, type KeyedColumn } from '../blocks/group-blocks.ts';
import {
  foldNetworkSteps,
  type NetworkSteps,
  type NetworkStepsQuestion,
} from '../blocks/network-steps.ts';
import {
  cutTile,
  decodeTile,
  type StoredTile,
  type TileCut,
  type TileRows,
} from '../blocks/tile-rows.ts';
import { releaseFolded, type UnitReadings } from '../fold/fold-units.ts';
import { openUnits } from '../fold/open-units.ts';
import { SharedArrays } from '../fold/shared-arrays.ts';
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

/** Sections to decode. blocks: what all ranges of a segment have of a block, by block. */
export type StoredData = {
  readonly blocks: readonly (readonly StoredBlock[])[];
  readonly tiles: readonly StoredTile[];
};

/** The same, decoded, in the same order. */
export type DecodedData = {
  readonly blocks: readonly SegmentBlock[];
  readonly tiles: readonly TileRows[];
};

/** A task for a worker thread, as plain data: large arrays lie in shared memory. */
export type KernelTask =
  | { readonly kind: 'decode'; readonly stored: StoredData }
  | { readonly kind: 'cut'; readonly cuts: readonly TileCut[] }
  | { readonly kind: 'compile'; readonly pattern: string }
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
  | DecodedData
  | readonly (readonly SegmentBlock[])[]
  | PatternFacts
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

/** Runs a task to its end. */
export const runKernelTask = (task: KernelTask): KernelResult => runWhole(slicesOf(task));

/** Returns a task as work that can be interrupted wherever it yields. */
export function slicesOf(task: KernelTask): Sliced<KernelResult> {
  switch (task.kind) {
    case 'decode':
      return decodeAll(task.stored);
    case 'cut':
      return mapSliced(task.cuts, cutTile);
    case 'compile':
      return patternFacts(task.pattern);
    case 'unite':
      return uniteInSlices(task.lists, sharedMemory);
    case 'match':
      return matchKeys(task.keys, task.search);
    case 'networks':
      return formAllNetworks(task.lists, task.lengths);
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
      return mapSliced(task.wanted, boundSteps);
    case 'join':
      return keptBounds(task.wanted);
    case 'bounds':
      return boundRanks(task.fold, task.apart, task.question);
    default:
      return task satisfies never;
  }
}

function* decodeAll({ blocks, tiles }: StoredData): Sliced<DecodedData> {
  const arrays = new SharedArrays();
  return {
    blocks: yield* mapSliced(blocks, decodeBlock),
    tiles: yield* mapSliced(tiles, (tile) => decodeTile(tile, arrays)),
  };
}

function* matchKeys(keys: KeyList, search: KeySearch | NetworkSearch): Sliced<KeySet> {
  if ('networks' in search) return yield* matchNetworks(keys, search.networks);
  const { labels, ...matched } = search;
  const matches = yield* lastMatcher(matched);
  return yield* matches(keys, labels ? { labels } : {});
}

/** Kept because a key page matches list after list of a group with the same filter. */
let last: { readonly name: string; readonly matches: KeyMatcher } | null = null;

function* lastMatcher({ filter, ...kinds }: Omit<KeySearch, 'labels'>): Sliced<KeyMatcher> {
  const name = JSON.stringify([filter, kinds]);
  if (last?.name === name) return last.matches;
  const matches = yield* keyMatcher(keyCodecOf(kinds), filter);
  last = { name, matches };
  return matches;
}

function* formAllNetworks(
  lists: readonly KeyList[],
  lengths: NetworkLengths,
): Sliced<readonly FormedNetworks[]> {
  const formed: FormedNetworks[] = [];
  for (const keys of lists) {
    formed.push(formNetworks(keys, lengths, sharedMemory));
    yield;
  }
  return formed;
}

function* answerFold(
  units: readonly UnitReadings[],
  fold: Fold,
  questions: readonly KernelQuery[],
): Sliced<readonly Answer[]> {
  const folded = yield* openUnits(units, fold);
  const answers = yield* answerKernelQueries(folded, questions);
  // Not in a `finally`: after an error, the garbage collector frees the memory.
  releaseFolded(folded);
  return answers;
}

function* compareFolds({
  fold,
  now,
  before,
  questions,
}: KernelTask & { readonly kind: 'changes' }): Sliced<readonly ChangeAnswer[]> {
  const windows = { now: yield* openUnits(now, fold), before: yield* openUnits(before, fold) };
  const answers = yield* rankChanges(windows, questions);
  releaseFolded(windows.now);
  releaseFolded(windows.before);
  return answers;
}
