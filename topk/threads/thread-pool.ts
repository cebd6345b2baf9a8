import { Worker } from 'node:worker_threads';
import { serviceError } from '../../domain/errors.ts';
import type { NetworkLengths } from '../../domain/filters/network-lengths.ts';
import type { Fold } from '../../domain/toppers/meter-type.ts';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { FormedNetworks } from '../../segments/keys/form-networks.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import type { UnitedKeys } from '../../segments/keys/unite-keys.ts';
import type { Answer, KernelQuery } from '../answer-kernel-queries.ts';
import type { BlocksWanted, SegmentBlock, StoredGroup } from '../blocks/decode-blocks.ts';
import type { BlocksOfList, KeyedColumn } from '../blocks/group-blocks.ts';
import type { NetworkSteps, NetworkStepsQuestion } from '../blocks/network-steps.ts';
import type { UnitReadings } from '../fold/fold-units.ts';
import { isListed } from '../fold/open-units.ts';
import type { TrendStep } from '../fold-trend.ts';
import type { BoundAnswer, BoundQuestion } from '../select/bound-ranks.ts';
import type { ChangeAnswer, ChangeQuestion } from '../select/rank-changes.ts';
import type { BoundsToJoin, StepBounds, StepsToBound } from '../select/step-bounds.ts';
import {
  type KernelResult,
  type KernelTask,
  type KeySearch,
  type NetworkSearch,
  runKernelTask,
  type TrendSteps,
} from './kernel-task.ts';
import type { WorkerReply } from './thread-pool-worker.ts';

type ThreadPoolOptions = {
  /** Number of threads besides the one that answers requests. */
  readonly workers: number;
  /** Maximum number of tasks that wait for a thread; further tasks are refused. */
  readonly queueLength: number;
  /** Whether small tasks run at once, on the thread that submits them; default: true. */
  readonly runsInline?: boolean;
  /** Called when each task is submitted and when it ends, as `fold` or `fold in a thread`. */
  readonly onWork?: WorkObserver;
};

/** Maximum size of a task that runs at once, because another thread would not be worth it. */
const INLINE = {
  decodeBytes: 120_000,
  readings: 60_000,
  listedReadings: 200_000,
  unitedKeys: 40_000,
  matchedKeys: 10_000,
  networkKeys: 40_000,
} as const;

const storedBytes = (groups: readonly StoredGroup[]): number =>
  groups.reduce((sum, { ordinals, columns }) => {
    const ofColumns = [...columns.values()].reduce((bytes, { length }) => bytes + length, 0);
    return sum + ordinals.length + ofColumns;
  }, 0);

const readingsIn = (units: readonly Pick<UnitReadings, 'ids'>[]): number =>
  units.reduce((sum, { ids }) => sum + ids.length, 0);

/** Two windows of a meter. */
type Compared = {
  readonly fold: Fold;
  readonly now: readonly UnitReadings[];
  readonly before: readonly UnitReadings[];
};

/** The bounds of a window of a meter, as `joinBounds` takes them. */
type Bounded = Pick<BoundsToJoin, 'fold' | 'apart'>;

const boundedKeys = ({ apart, keyCount }: BoundsToJoin): number =>
  apart.flat().reduce((sum, { bounds }) => sum + bounds.steps.length, keyCount);

type Job = {
  readonly task: KernelTask;
  readonly signal: AbortSignal;
  readonly resolve: (result: KernelResult) => void;
  readonly reject: (reason: unknown) => void;
};

type Thread = { readonly worker: Worker; job: Job | null };

/**
 * Runs the kernel's tasks (decoding blocks, merging and finding keys, adding up) on worker threads,
 * so that the event loop is never blocked for long. A task of less than about a millisecond runs at
 * once; others wait for a thread in a bounded queue. If a thread dies, its task fails and a new
 * thread replaces it. Errors: `busy` if the queue is full; a closed pool refuses every task.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #onWork: WorkObserver;
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#onWork = options.onWork ?? unobserved;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get busy(): number {
    return this.#threads.filter(({ job }) => job !== null).length;
  }

  get threads(): number {
    return this.#threads.length;
  }

  /** Starts a thread if there is none, so that the first task need not wait until it is loaded. */
  startThread(): void {
    if (!this.#closed && this.#threads.length === 0) this.#idleThread();
  }

  /** Decodes the blocks of each element of `wanted`, in their order. Errors: DamagedSegment too. */
  async decode(
    wanted: readonly BlocksWanted[],
    signal: AbortSignal,
  ): Promise<readonly (readonly SegmentBlock[])[]> {
    const bytes = wanted.reduce((sum, { groups }) => sum + storedBytes(groups), 0);
    const task: KernelTask = { kind: 'decode', wanted };
    const isSmall = bytes <= INLINE.decodeBytes;
    return (await this.#run(task, isSmall, signal)) as readonly (readonly SegmentBlock[])[];
  }

  /** Merges lists of sorted keys, in memory that threads share. */
  async unite(lists: readonly KeyList[], signal: AbortSignal): Promise<UnitedKeys> {
    const keys = lists.reduce((sum, { count }) => sum + count, 0);
    const task: KernelTask = { kind: 'unite', lists };
    return (await this.#run(task, keys <= INLINE.unitedKeys, signal)) as UnitedKeys;
  }

  /** Returns the sorted keys that pass a filter. Errors: those of compileKeyFilter. */
  async match(
    keys: KeyList,
    search: KeySearch | NetworkSearch,
    signal: AbortSignal,
  ): Promise<KeySet> {
    const task: KernelTask = { kind: 'match', keys, search };
    return (await this.#run(task, keys.count <= INLINE.matchedKeys, signal)) as KeySet;
  }

  /** Returns the networks of each list of addresses. */
  async formNetworks(
    lists: readonly KeyList[],
    lengths: NetworkLengths,
    signal: AbortSignal,
  ): Promise<readonly FormedNetworks[]> {
    const keys = lists.reduce((sum, { count }) => sum + count, 0);
    const task: KernelTask = { kind: 'networks', lists, lengths };
    const isSmall = keys <= INLINE.networkKeys;
    return (await this.#run(task, isSmall, signal)) as readonly FormedNetworks[];
  }

  /** Returns the blocks, in their order, with networks in place of keys. */
  async groupBlocks(
    fold: Fold,
    lists: readonly BlocksOfList[],
    signal: AbortSignal,
  ): Promise<readonly (readonly KeyedColumn[])[]> {
    const task: KernelTask = { kind: 'group', fold, lists };
    const isSmall = readingsIn(lists.flatMap(({ blocks }) => blocks)) <= INLINE.readings;
    return (await this.#run(task, isSmall, signal)) as readonly (readonly KeyedColumn[])[];
  }

  /** Returns the combined readings of each network by step. */
  async foldNetworkSteps(
    question: NetworkStepsQuestion,
    signal: AbortSignal,
  ): Promise<readonly NetworkSteps[]> {
    const task: KernelTask = { kind: 'networkSteps', question };
    const { lists, networks, stepCount } = question;
    const readings = readingsIn(lists.flatMap(({ blocks }) => blocks));
    const isSmall = readings + networks.length * stepCount <= INLINE.readings;
    return (await this.#run(task, isSmall, signal)) as readonly NetworkSteps[];
  }

  async fold(
    fold: Fold,
    units: readonly UnitReadings[],
    questions: readonly KernelQuery[],
    signal: AbortSignal,
  ): Promise<readonly Answer[]> {
    const task: KernelTask = { kind: 'fold', fold, units, questions };
    const maxReadings = isListed(units, fold) ? INLINE.listedReadings : INLINE.readings;
    return (await this.#run(task, readingsIn(units) <= maxReadings, signal)) as readonly Answer[];
  }

  /** Returns the largest keys of each step. */
  async foldTrend(trend: TrendSteps, signal: AbortSignal): Promise<readonly TrendStep[]> {
    const task: KernelTask = { kind: 'trend', ...trend };
    const readings = readingsIn(trend.steps.flat().flatMap(({ units }) => units));
    return (await this.#run(task, readings <= INLINE.readings, signal)) as readonly TrendStep[];
  }

  /** Ranks keys by how they changed from one window to another. */
  async compare(
    { fold, now, before }: Compared,
    questions: readonly ChangeQuestion[],
    signal: AbortSignal,
  ): Promise<readonly ChangeAnswer[]> {
    const task: KernelTask = { kind: 'changes', fold, now, before, questions };
    const isSmall = readingsIn(now) + readingsIn(before) <= INLINE.readings;
    return (await this.#run(task, isSmall, signal)) as readonly ChangeAnswer[];
  }

  /** Returns the bounds of each list of steps. Errors: a fold has no bounds. */
  async boundSteps(
    wanted: readonly StepsToBound[],
    signal: AbortSignal,
  ): Promise<readonly StepBounds[]> {
    const task: KernelTask = { kind: 'steps', wanted };
    const readings = wanted.reduce(
      (sum, { steps, keyCount }) => sum + readingsIn(steps.flat()) + keyCount,
      0,
    );
    return (await this.#run(task, readings <= INLINE.readings, signal)) as readonly StepBounds[];
  }

  /** Returns the combined bounds of the parts of a window. */
  async joinBounds(wanted: BoundsToJoin, signal: AbortSignal): Promise<StepBounds> {
    const task: KernelTask = { kind: 'join', wanted };
    return (await this.#run(task, boundedKeys(wanted) <= INLINE.readings, signal)) as StepBounds;
  }

  /** Returns the keys whose series may have the largest values, by the bounds of a window. */
  async bound(
    { fold, apart }: Bounded,
    question: BoundQuestion,
    signal: AbortSignal,
  ): Promise<BoundAnswer> {
    const task: KernelTask = { kind: 'bounds', fold, apart, question };
    const { keyCount } = question;
    const isSmall = boundedKeys({ fold, apart, keyCount }) <= INLINE.readings;
    return (await this.#run(task, isSmall, signal)) as BoundAnswer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(closing());
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  async #run(task: KernelTask, isSmall: boolean, signal: AbortSignal): Promise<KernelResult> {
    signal.throwIfAborted();
    // A thread started now would outlive the server, because nothing would end it.
    if (this.#closed) throw closing();
    if (isSmall && this.#options.runsInline !== false) return this.#runHere(task);
    const idle = this.#idleThread();
    if (!idle) this.#dropAbandoned();
    if (!idle && this.#queue.length >= this.#options.queueLength) throw serviceError('busy');
    const end = this.#onWork('kernel', `${task.kind} in a thread`);
    const result = new Promise<KernelResult>((resolve, reject) => {
      const job: Job = { task, signal, resolve, reject };
      if (idle) start(idle, job);
      else this.#queue.push(job);
    });
    result.then(() => end(), end);
    return result;
  }

  #runHere(task: KernelTask): KernelResult {
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

  /** Returns an idle thread, or a new one if the limit allows it; null: all threads are busy. */
  #idleThread(): Thread | null {
    const idle = this.#threads.find(({ job }) => job === null);
    if (idle || this.#threads.length >= this.#options.workers) return idle ?? null;
    const thread: Thread = { worker: new Worker(WORKER_FILE), job: null };
    thread.worker.unref();
    thread.worker.on('message', (reply: WorkerReply) => this.#finish(thread, reply));
    thread.worker.on('error', (error) => this.#lose(thread, error));
    thread.worker.on('exit', () => this.#lose(thread, new Error('a kernel thread ended')));
    this.#threads.push(thread);
    return thread;
  }

  #finish(thread: Thread, reply: WorkerReply): void {
    const { job } = thread;
    thread.job = null;
    if (reply.result === undefined) job?.reject(reply.error);
    else job?.resolve(reply.result);
    this.#next(thread);
  }

  #next(thread: Thread): void {
    this.#dropAbandoned();
    const job = this.#queue.shift();
    if (job) start(thread, job);
  }

  /** Removes the jobs whose callers have gone from the queue, where they would take room. */
  #dropAbandoned(): void {
    for (const job of this.#queue.splice(0)) {
      if (job.signal.aborted) job.reject(job.signal.reason);
      else this.#queue.push(job);
    }
  }

  #lose(thread: Thread, error: Error): void {
    const index = this.#threads.indexOf(thread);
    if (index === -1) return;
    this.#threads.splice(index, 1);
    thread.job?.reject(error);
    if (this.#closed || this.#queue.length === 0) return;
    const fresh = this.#idleThread();
    if (fresh) this.#next(fresh);
  }
}

const closing = () => new Error('the server is closing');

function start(thread: Thread, job: Job): void {
  thread.job = job;
  thread.worker.postMessage(job.task);
}

/** Threads run the compiled file, even if these sources run uncompiled (in tests). */
const WORKER_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/bundle/thread-pool-worker.js', import.meta.url)
  : new URL('./thread-pool-worker.js', import.meta.url);
