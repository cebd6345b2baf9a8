import type { LimitNetworks } from '../../../domain/callers/grant-limit.ts';
import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { patternFacts } from '../../../domain/filters/key-pattern.ts';
import type { NetworkLengths } from '../../../domain/filters/network-lengths.ts';
import { mapSliced, runWhole, type Sliced } from '../../../domain/sliced.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { fullKeySet, type KeySet, sharedMemory } from '../../../segments/filter/key-set.ts';
import { type KeyMatcher, keyMatcher } from '../../../segments/filter/match-keys.ts';
import { matchNetworks } from '../../../segments/filter/match-networks.ts';
import { limitFinder } from '../../../segments/filter/network-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import { type FormedNetworks, formNetworks } from '../../../segments/keys/form-networks.ts';
import { type KeyKinds, keyCodecOf } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { uniteInSlices } from '../../../segments/keys/unite-keys.ts';
import {
  type BlockReadings,
  openBlocks,
  releaseAggregated,
} from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import { type BlocksOfList, groupBlocks } from '../blocks/combine-blocks.ts';
import { decodeBlock, type SegmentBlock, type StoredBlock } from '../blocks/decode-blocks.ts';
import { aggregateSteps, type StepSumsQuestion } from '../blocks/network-steps.ts';
import { type BlockToSee, takeVisible } from '../blocks/take-visible.ts';
import {
  cutTile,
  decodeTile,
  type StoredTile,
  type TileCut,
  type TileRows,
} from '../blocks/tile-rows.ts';
import { answerKernelQuestions, type KernelAnswer, type KernelQuestion } from '../rank-keys.ts';
import { rankTrend, type TrendPart, type TrendSelection } from '../rank-trend.ts';
import { type ChangeAnswer, type ChangeQuestion, rankChanges } from '../select/rank-changes.ts';
import {
  type BoundQuestion,
  type BoundsToJoin,
  boundRanks,
  boundSteps,
  keptBounds,
  type MappedBounds,
  type StepsToBound,
} from '../select/step-bounds.ts';

/** A search for keys of a kind; labels null: the search does not use labels. */
export type KeySearch = KeyKinds & {
  readonly filter: KeyFilter;
  readonly labels: OwnLabels | null;
};

/** Keys of a kind that lie in the networks of a limited grant. */
export type LimitSearch = { readonly kinds: KeyKinds; readonly networks: LimitNetworks };

/** A search for networks; `keys` of the task are the keys of the networks. */
export type NetworkSearch = { readonly networks: KeyFilter };

/** The blocks of each step of a trend, and the question for every step. */
export type TrendSteps = {
  readonly aggregate: Aggregate;
  readonly steps: readonly (readonly TrendPart[])[];
  readonly question: TrendSelection;
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

/** The blocks of a meter to aggregate, and questions about it. */
type AggregateTask = {
  readonly aggregate: Aggregate;
  readonly blocks: readonly BlockReadings[];
  readonly questions: readonly KernelQuestion[];
};

/** Two windows of a meter, and questions about how keys changed. */
type ChangesTask = {
  readonly aggregate: Aggregate;
  readonly now: readonly BlockReadings[];
  readonly before: readonly BlockReadings[];
  readonly questions: readonly ChangeQuestion[];
};

type BoundsTask = {
  readonly aggregate: Aggregate;
  readonly apart: readonly (readonly MappedBounds[])[];
  readonly question: BoundQuestion;
};

/** What the kernel can do, each as work that can be interrupted wherever it yields. */
const TASKS = {
  decode: ({ stored }: { readonly stored: StoredData }) => decodeAll(stored),
  cut: ({ cuts }: { readonly cuts: readonly TileCut[] }) => mapSliced(cuts, cutTile),
  compile: ({ pattern }: { readonly pattern: string }) => patternFacts(pattern),
  unite: ({ lists }: { readonly lists: readonly KeyList[] }) => uniteInSlices(lists, sharedMemory),
  match: ({
    keys,
    search,
  }: {
    readonly keys: KeyList;
    readonly search: KeySearch | NetworkSearch;
  }) => matchKeys(keys, search),
  limit: ({
    lists,
    search,
  }: {
    readonly lists: readonly KeyList[];
    readonly search: LimitSearch;
  }) => limitKeys(lists, search),
  visible: ({ blocks }: { readonly blocks: readonly BlockToSee[] }) =>
    mapSliced(blocks, takeVisible),
  networks: ({
    lists,
    lengths,
  }: {
    readonly lists: readonly KeyList[];
    readonly lengths: NetworkLengths;
  }) => formAllNetworks(lists, lengths),
  group: ({
    aggregate,
    lists,
  }: {
    readonly aggregate: Aggregate;
    readonly lists: readonly BlocksOfList[];
  }) => groupBlocks(aggregate, lists),
  stepSums: ({ question }: { readonly question: StepSumsQuestion }) => aggregateSteps(question),
  // Metrics and traces call it so.
  fold: answerQueries,
  changes: compareWindows,
  trend: ({ aggregate, steps, question }: TrendSteps) => rankTrend(aggregate, steps, question),
  steps: ({ wanted }: { readonly wanted: readonly StepsToBound[] }) =>
    mapSliced(wanted, boundSteps),
  join: ({ wanted }: { readonly wanted: BoundsToJoin }) => keptBounds(wanted),
  bounds: ({ aggregate, apart, question }: BoundsTask) => boundRanks(aggregate, apart, question),
} as const;

export type KernelKind = keyof typeof TASKS;

/** A task for a worker thread, as plain data: large arrays lie in shared memory. */
export type KernelTask<Kind extends KernelKind = KernelKind> = {
  [Each in Kind]: { readonly kind: Each } & Parameters<(typeof TASKS)[Each]>[0];
}[Kind];

type ReturnOf<Work> = Work extends Sliced<infer Result> ? Result : never;

export type KernelResult<Kind extends KernelKind = KernelKind> = {
  [Each in Kind]: ReturnOf<ReturnType<(typeof TASKS)[Each]>>;
}[Kind];

/** Runs a task to its end. */
export const runKernelTask = <Kind extends KernelKind>(
  task: KernelTask<Kind>,
): KernelResult<Kind> => runWhole(slicesOf(task));

/** Returns a task as work that can be interrupted wherever it yields. */
export function slicesOf<Kind extends KernelKind>(
  task: KernelTask<Kind>,
): Sliced<KernelResult<Kind>> {
  // The compiler does not relate a task to the entry of its own kind.
  const work: (of: never) => Sliced<unknown> = TASKS[task.kind];
  return work(task as never) as Sliced<KernelResult<Kind>>;
}

function* decodeAll({ blocks, tiles }: StoredData): Sliced<DecodedData> {
  const arrays = new SharedArrays();
  return {
    blocks: yield* mapSliced(blocks, decodeBlock),
    tiles: yield* mapSliced(tiles, (tile) => decodeTile(tile, arrays)),
  };
}

function* limitKeys(lists: readonly KeyList[], { kinds, networks }: LimitSearch): Sliced<KeySet[]> {
  const find = limitFinder(keyCodecOf(kinds), networks);
  return yield* mapSliced(lists, (keys) => find(keys, fullKeySet(keys.count)));
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

function* answerQueries({
  blocks,
  aggregate,
  questions,
}: AggregateTask): Sliced<readonly KernelAnswer[]> {
  const aggregated = yield* openBlocks(blocks, aggregate);
  const answers = yield* answerKernelQuestions(aggregated, questions);
  // Not in a `finally`: after an error, the garbage collector frees the memory.
  releaseAggregated(aggregated);
  return answers;
}

function* compareWindows({
  aggregate,
  now,
  before,
  questions,
}: ChangesTask): Sliced<readonly ChangeAnswer[]> {
  const windows = {
    now: yield* openBlocks(now, aggregate),
    before: yield* openBlocks(before, aggregate),
  };
  const answers = yield* rankChanges(windows, questions);
  releaseAggregated(windows.now);
  releaseAggregated(windows.before);
  return answers;
}
