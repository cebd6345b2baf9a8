import { isGiven, type KeyFilter, patternsOf } from '../../../domain/filters/key-filter.ts';
import {
  type PatternFacts,
  patternError,
  requireShort,
} from '../../../domain/filters/key-pattern.ts';
import type { NetworkLengths } from '../../../domain/filters/network-lengths.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { unobserved, type WorkObserver } from '../../../domain/work-observer.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { FormedNetworks } from '../../../segments/keys/form-networks.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import type { UnitedKeys } from '../../../segments/keys/unite-keys.ts';
import type { BlockReadings } from '../aggregate/aggregate-blocks.ts';
import { isUsableAsIs } from '../aggregate/aggregate-blocks.ts';
import type { BlocksOfList, KeyedColumn } from '../blocks/combine-blocks.ts';
import type { SegmentBlock, StoredBlock } from '../blocks/decode-blocks.ts';
import type { NetworkSteps, StepSumsQuestion } from '../blocks/network-steps.ts';
import type { BlockToSee } from '../blocks/take-visible.ts';
import type { StoredTile, TileCut } from '../blocks/tile-rows.ts';
import type { KernelAnswer, KernelQuestion } from '../rank-keys.ts';
import type { TrendStep } from '../rank-trend.ts';
import type { ChangeAnswer, ChangeQuestion } from '../select/rank-changes.ts';
import type {
  BoundAnswer,
  BoundQuestion,
  BoundsToJoin,
  StepBounds,
  StepsToBound,
} from '../select/step-bounds.ts';
import {
  type DecodedData,
  type KernelKind,
  type KernelResult,
  type KernelTask,
  type KeySearch,
  type LimitSearch,
  type NetworkSearch,
  runKernelTask,
  type StoredData,
  type TrendSteps,
} from './kernel-task.ts';
import { isQuickPattern, KnownPatterns } from './known-patterns.ts';
import { type KernelCaller, WorkerThreads, type WorkerThreadsOptions } from './worker-threads.ts';

type ThreadPoolOptions = WorkerThreadsOptions & {
  /** Whether small tasks run at once, on the thread that submits them; default: true. */
  readonly runsInline?: boolean;
  /** Called when each task is submitted and when it ends, as `fold` or `fold in a thread`. */
  readonly onWork?: WorkObserver;
};

/**
 * Maximum size of a task that runs at once: it takes less than 5 ms of the event loop whatever it
 * contains, and another thread would not be worth it.
 */
const INLINE = {
  decodeBytes: 120_000,
  decodeKeys: 200_000,
  readings: 60_000,
  /** Those of a block that need not be added up. */
  blockReadings: 200_000,
  /** Readings × questions about them. */
  answers: 400_000,
  groupedReadings: 20_000,
  unitedKeys: 20_000,
  /** Keys × instructions. */
  matchWork: 5_000,
  networkKeys: 20_000,
} as const;

/** Ranks sort all rows, which takes as long as so many other questions. */
const RANKS_QUESTIONS = 40;

/** A step of a trend costs as much as so many readings, even if it has none. */
const STEP_READINGS = 100;

/** Returns the number of questions that take as long as these. */
const weightOf = (questions: readonly KernelQuestion[]): number =>
  questions.reduce((sum, { kind }) => sum + (kind === 'ranks' ? RANKS_QUESTIONS : 1), 0);

const storedBytes = (ranges: readonly (StoredBlock | StoredTile)[]): number =>
  ranges.reduce((sum, range) => {
    const { times, values } = 'times' in range ? range : { times: null, values: null };
    const sections = [range.keys, times, range.totals, values];
    return sections.reduce((bytes, section) => bytes + (section?.length ?? 0), sum);
  }, 0);

const readingsIn = (blocks: readonly Pick<BlockReadings, 'ids'>[]): number =>
  blocks.reduce((sum, { ids }) => sum + ids.length, 0);

/** The names of the parameters with the patterns, for errors. */
export type PatternNames = { readonly match: string; readonly exclude: string };

type Matching = {
  readonly filter: KeyFilter;
  readonly labels: OwnLabels | null;
  readonly instructions: number;
};

/** A search costs about as much per key as so many instructions of a pattern. */
const SEARCH_INSTRUCTIONS = 10;

/** Bytes of a key that count as one key: a longer text takes longer to read. */
const KEY_BYTES = 8;

/**
 * What it costs to match keys: keys × instructions. An element of a list of keys or networks, and a
 * label, cost as much as a few keys.
 */
function matchWork(list: KeyList, { filter, labels, instructions }: Matching): number {
  const { keys = [], excludeKeys = [], cidr = [], excludeCidr = [], search } = filter;
  const bytes = list.count === 0 ? 0 : (list.ends[list.count - 1] as number);
  const perKey = 1 + instructions + (isGiven(search) ? SEARCH_INSTRUCTIONS : 0);
  const listed = keys.length + excludeKeys.length + cidr.length + excludeCidr.length;
  const labelled = labels ? [labels.keys, ...labels.parts] : [];
  const labelCount = labelled.reduce((sum, { size }) => sum + size, 0);
  return Math.max(list.count, bytes / KEY_BYTES) * perKey + 10 * (listed + labelCount);
}

/** Two windows of a meter. */
type Compared = {
  readonly aggregate: Aggregate;
  readonly now: readonly BlockReadings[];
  readonly before: readonly BlockReadings[];
};

/** The bounds of a window of a meter, as `joinBounds` takes them. */
type Bounded = Pick<BoundsToJoin, 'aggregate' | 'apart'>;

const boundedKeys = ({ apart, keyCount }: BoundsToJoin): number =>
  apart.flat().reduce((sum, { bounds }) => sum + bounds.steps.length, keyCount);

/**
 * Runs the kernel's tasks (decoding blocks, merging and finding keys, adding up) on worker threads,
 * so that the event loop is never blocked for long. A task of less than 5 milliseconds runs at
 * once; others run in threads, fairly among users (WorkerThreads).
 */
export class ThreadPool {
  readonly #threads: WorkerThreads;
  readonly #runsInline: boolean;
  readonly #onWork: WorkObserver;
  readonly #patterns = new KnownPatterns();

  constructor({ runsInline = true, onWork = unobserved, ...options }: ThreadPoolOptions) {
    this.#threads = new WorkerThreads(options);
    this.#runsInline = runsInline;
    this.#onWork = onWork;
  }

  /** Number of tasks that wait for a thread, whether they have begun or not. */
  get waiting(): number {
    return this.#threads.waiting;
  }

  get busy(): number {
    return this.#threads.busy;
  }

  get threads(): number {
    return this.#threads.threads;
  }

  startThread(): void {
    this.#threads.startThread();
  }

  /** Decodes blocks and tiles, in their order. Errors: DamagedSegment too. */
  async decode(stored: StoredData, caller: KernelCaller): Promise<DecodedData> {
    const ranges = [...stored.blocks.flat(), ...stored.tiles];
    const task: KernelTask<'decode'> = { kind: 'decode', stored };
    const keys = ranges.reduce((sum, { keyCount }) => sum + keyCount, 0);
    const isSmall = storedBytes(ranges) <= INLINE.decodeBytes && keys <= INLINE.decodeKeys;
    return this.#run(task, isSmall, caller);
  }

  /** Cuts parts from tiles; returns the blocks of each tile's parts. */
  async cut(
    cuts: readonly TileCut[],
    caller: KernelCaller,
  ): Promise<readonly (readonly SegmentBlock[])[]> {
    const task: KernelTask<'cut'> = { kind: 'cut', cuts };
    const rows = cuts.reduce((sum, { ranges }) => sum + readingsIn(ranges), 0);
    const isSmall = rows <= INLINE.readings;
    return this.#run(task, isSmall, caller);
  }

  /** Merges lists of sorted keys, in memory that threads share. */
  async unite(lists: readonly KeyList[], caller: KernelCaller): Promise<UnitedKeys> {
    const keys = lists.reduce((sum, { count }) => sum + count, 0);
    const task: KernelTask<'unite'> = { kind: 'unite', lists };
    return this.#run(task, keys <= INLINE.unitedKeys, caller);
  }

  /** Returns the sorted keys that pass a filter. Errors: those of compileKeyFilter. */
  async match(
    keys: KeyList,
    search: KeySearch | NetworkSearch,
    caller: KernelCaller,
  ): Promise<KeySet> {
    const filter = 'networks' in search ? search.networks : search.filter;
    const labels = 'networks' in search ? null : search.labels;
    const instructions = await this.instructionsOf(filter, caller);
    const task: KernelTask<'match'> = { kind: 'match', keys, search };
    const isQuick = patternsOf(filter).every(([, pattern]) => isQuickPattern(pattern));
    const work = matchWork(keys, { filter, labels, instructions });
    return this.#run(task, isQuick && work <= INLINE.matchWork, caller);
  }

  /** Returns, for each list, the keys that lie in the networks of a limited grant. */
  async limit(
    lists: readonly KeyList[],
    { kinds, networks }: LimitSearch,
    caller: KernelCaller,
  ): Promise<readonly KeySet[]> {
    const task: KernelTask<'limit'> = { kind: 'limit', lists, search: { kinds, networks } };
    // Addresses of a network are adjacent: they are found at once.
    const perKey = kinds.partKinds === null && kinds.keyKind !== 'subnet' ? 0.02 : 1;
    const keys = lists.reduce((sum, { count }) => sum + count, 0);
    const work = keys * perKey + 10 * networks.length * lists.length;
    return this.#run(task, work <= INLINE.matchWork, caller);
  }

  /** Returns what each block has of the keys that may be seen. */
  async takeVisible(
    blocks: readonly BlockToSee[],
    caller: KernelCaller,
  ): Promise<readonly SegmentBlock[]> {
    const task: KernelTask<'visible'> = { kind: 'visible', blocks };
    const readings = readingsIn(blocks.map(({ block }) => block));
    return this.#run(task, readings <= INLINE.readings, caller);
  }

  /**
   * Returns the number of instructions of a filter's patterns, which are compiled in a thread if
   * that may take long. Errors: those of compileKeyPattern.
   */
  async instructionsOf(
    filter: KeyFilter,
    caller: KernelCaller,
    names: PatternNames = { match: 'match', exclude: 'exclude' },
  ): Promise<number> {
    let sum = 0;
    for (const [name, pattern] of patternsOf(filter)) {
      requireShort(pattern, names[name]);
      const facts = this.#patterns.find(pattern) ?? (await this.#compile(pattern, caller));
      if ('fault' in facts) throw patternError(pattern, names[name], facts.fault);
      sum += facts.instructions;
    }
    return sum;
  }

  async #compile(pattern: string, caller: KernelCaller): Promise<PatternFacts> {
    const task: KernelTask<'compile'> = { kind: 'compile', pattern };
    const facts = await this.#run(task, isQuickPattern(pattern), caller);
    this.#patterns.keep(pattern, facts);
    return facts;
  }

  /** Returns the networks of each list of addresses. */
  async formNetworks(
    lists: readonly KeyList[],
    lengths: NetworkLengths,
    caller: KernelCaller,
  ): Promise<readonly FormedNetworks[]> {
    const keys = lists.reduce((sum, { count }) => sum + count, 0);
    const task: KernelTask<'networks'> = { kind: 'networks', lists, lengths };
    const isSmall = keys <= INLINE.networkKeys;
    return this.#run(task, isSmall, caller);
  }

  /** Returns the blocks, in their order, with networks in place of keys. */
  async groupBlocks(
    aggregate: Aggregate,
    lists: readonly BlocksOfList[],
    caller: KernelCaller,
  ): Promise<readonly (readonly KeyedColumn[])[]> {
    const task: KernelTask<'group'> = { kind: 'group', aggregate, lists };
    const readings = readingsIn(lists.flatMap(({ blocks }) => blocks));
    const isSmall = readings <= INLINE.groupedReadings;
    return this.#run(task, isSmall, caller);
  }

  /** Returns the combined readings by step: of each network, or of all keys that pass. */
  async aggregateSteps(
    question: StepSumsQuestion,
    caller: KernelCaller,
  ): Promise<readonly NetworkSteps[]> {
    const task: KernelTask<'stepSums'> = { kind: 'stepSums', question };
    const { lists, stepCount } = question;
    const series = 'networks' in question ? question.networks.length : 1;
    const blocks = lists.flatMap(
      (list: { readonly blocks: readonly KeyedColumn[] }) => list.blocks,
    );
    const isSmall = readingsIn(blocks) + series * stepCount <= INLINE.groupedReadings;
    return this.#run(task, isSmall, caller);
  }

  async aggregate(
    aggregate: Aggregate,
    blocks: readonly BlockReadings[],
    questions: readonly KernelQuestion[],
    caller: KernelCaller,
  ): Promise<readonly KernelAnswer[]> {
    const task: KernelTask<'fold'> = { kind: 'fold', aggregate, blocks, questions };
    const maxReadings = isUsableAsIs(blocks, aggregate) ? INLINE.blockReadings : INLINE.readings;
    const readings = readingsIn(blocks);
    const isSmall = readings <= maxReadings && readings * weightOf(questions) <= INLINE.answers;
    return this.#run(task, isSmall, caller);
  }

  /** Returns the largest keys of each step. */
  async rankTrend(trend: TrendSteps, caller: KernelCaller): Promise<readonly TrendStep[]> {
    const task: KernelTask<'trend'> = { kind: 'trend', ...trend };
    const readings = readingsIn(trend.steps.flat().flatMap(({ blocks }) => blocks));
    // The blocks of a step are added up, and then those of all segments.
    const isSmall = 2 * readings + STEP_READINGS * trend.steps.length <= INLINE.readings;
    return this.#run(task, isSmall, caller);
  }

  /** Ranks keys by how they changed from one window to another. */
  async compare(
    { aggregate, now, before }: Compared,
    questions: readonly ChangeQuestion[],
    caller: KernelCaller,
  ): Promise<readonly ChangeAnswer[]> {
    const task: KernelTask<'changes'> = { kind: 'changes', aggregate, now, before, questions };
    const readings = readingsIn(now) + readingsIn(before);
    const isSmall = readings <= INLINE.readings && readings * questions.length <= INLINE.answers;
    return this.#run(task, isSmall, caller);
  }

  /** Returns the bounds of each list of steps. Errors: an aggregate has no bounds. */
  async boundSteps(
    wanted: readonly StepsToBound[],
    caller: KernelCaller,
  ): Promise<readonly StepBounds[]> {
    const task: KernelTask<'steps'> = { kind: 'steps', wanted };
    const readings = wanted.reduce(
      (sum, { steps, keyCount }) => sum + readingsIn(steps.flat()) + keyCount,
      0,
    );
    return this.#run(task, readings <= INLINE.readings, caller);
  }

  /** Returns the combined bounds of the parts of a window. */
  async joinBounds(wanted: BoundsToJoin, caller: KernelCaller): Promise<StepBounds> {
    const task: KernelTask<'join'> = { kind: 'join', wanted };
    return this.#run(task, boundedKeys(wanted) <= INLINE.readings, caller);
  }

  /** Returns the keys whose series may have the largest values, by the bounds of a window. */
  async bound(
    { aggregate, apart }: Bounded,
    question: BoundQuestion,
    caller: KernelCaller,
  ): Promise<BoundAnswer> {
    const task: KernelTask<'bounds'> = { kind: 'bounds', aggregate, apart, question };
    const { keyCount } = question;
    const isSmall = boundedKeys({ aggregate, apart, keyCount }) <= INLINE.readings;
    return this.#run(task, isSmall, caller);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  async #run<Kind extends KernelKind>(
    task: KernelTask<Kind> & KernelTask,
    isSmall: boolean,
    caller: KernelCaller,
  ): Promise<KernelResult<Kind>> {
    this.#threads.requireOpen(caller);
    if (isSmall && this.#runsInline) return this.#runHere<Kind>(task);
    const end = this.#onWork('kernel', `${task.kind} in a thread`);
    const result = this.#threads.run(task, caller);
    result.then(() => end(), end);
    // A thread answers with the result of the task that it was given.
    return (await result) as KernelResult<Kind>;
  }

  #runHere<Kind extends KernelKind>(task: KernelTask<Kind>): KernelResult<Kind> {
    const end = this.#onWork('kernel', task.kind);
    try {
      const result = runKernelTask(task);
      end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }
}
