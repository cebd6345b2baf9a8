import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '../../db/database-error.ts';
import { type FeedLossCounts, NO_LOSSES } from '../../db/sql/feeds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Flow } from '../flows/flow.ts';
import { IngestError } from '../ingest-error.ts';
import type { FeedBatch } from './feed-batches.ts';
import type { FeedTime, MonotonicMs } from './feed-clock.ts';
import type { FeedLimits } from './feed-limits.ts';
import { countLeftOut, type LeftOutFlows } from './left-out-flows.ts';
import { lossesSince } from './losses-since.ts';
import type { PendingFlows } from './pending-flows.ts';

type FeedCommitsOptions = {
  readonly limits: FeedLimits;
  readonly now: () => FeedTime;
  /** Aborted when the feed is asked to end: the last commit is then not retried forever. */
  readonly stop: AbortSignal;
  /** Whether the first commit does not wait for flows or losses. */
  readonly reportsAtOnce: boolean;
  /** Makes one attempt at a commit, which fails when the signal is aborted. */
  readonly commit: (batch: FeedBatch, signal: AbortSignal) => Promise<LeftOutFlows>;
  /** Returns what was refused and lost so far, without the flows that commits left out. */
  readonly losses: (state: 'reading' | 'over') => FeedLossCounts;
  /** Called with the flows that a commit had to leave out. */
  readonly onLeftOut: (leftOut: LeftOutFlows) => void;
  readonly onChange: () => void;
};

/** The state of a feed's commits. */
export type CommitState = {
  /** When the newest flow that was read ended, and the newest that was committed. */
  readonly newestAt: EpochSeconds | null;
  readonly committedTo: EpochSeconds | null;
  /** Number of flows that were read but not committed, and when the first of them was read. */
  readonly uncommitted: number;
  readonly uncommittedSinceMs: MonotonicMs | null;
  /** What the feed is waiting for, in words; null if all is well. */
  readonly trouble: string | null;
};

/** Commits pending flows batch by batch, and retries each batch until it is committed. */
export class FeedCommits {
  readonly #pending: PendingFlows;
  readonly #options: FeedCommitsOptions;
  /** Every batch has a number. A batch of losses alone does not count as a commit of flows. */
  #number = 0;
  #commits = 0;
  #committedFlows = 0;
  #leftOutFlows = 0;
  #committedLosses = NO_LOSSES;
  #committedUs = 0;
  /** The batch that is being committed. */
  #batch: { readonly size: number; readonly firstReadMs: MonotonicMs | null } | null = null;
  #lastCommitMs: MonotonicMs = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #isEnding = false;
  #isEndCommitted = false;
  #isOver = false;
  /** Aborted when the feed was asked to end and the time limit of the last commit has passed. */
  readonly #outOfPatience = new AbortController();
  /** Wakes the loop, and the reader that waits for room. */
  #ring: () => void = () => {};
  #makeRoom: () => void = () => {};

  constructor(pending: PendingFlows, options: FeedCommitsOptions) {
    this.#pending = pending;
    this.#options = options;
    const stop = () => {
      // Lets the reader finish what it has begun.
      this.#makeRoom();
      const stopError = new IngestError('told to stop, and the last commit takes too long');
      const giveUp = () => this.#outOfPatience.abort(stopError);
      setTimeout(giveUp, options.limits.lastCommitMs).unref();
    };
    if (options.stop.aborted) stop();
    else options.stop.addEventListener('abort', stop, { once: true });
  }

  /**
   * Resolves when everything is committed after `endWithWhatIsThere`; fails if that is impossible.
   */
  async run(): Promise<void> {
    try {
      await this.#commitAll();
    } finally {
      // After a failure nothing makes room any more, and the reader must not wait for it.
      this.#isOver = true;
      this.#makeRoom();
    }
  }

  /** Called when reading is over: commits everything left, whatever bucket it belongs to. */
  endWithWhatIsThere(): void {
    this.#isEnding = true;
    this.#ring();
  }

  /** Returns what the reader has to wait for because too much is in memory, or null. */
  room(): Promise<void> | null {
    if (this.#uncommitted() < this.#options.limits.pendingFlows || this.#isOver) return null;
    this.#ring();
    return new Promise((resolve) => {
      this.#makeRoom = resolve;
    });
  }

  noteTrouble(trouble: string | null): void {
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    this.#options.onChange();
  }

  tally(): { commits: number; committedFlows: number; leftOutFlows: number } {
    const commits = this.#commits;
    const committedFlows = this.#committedFlows;
    return { commits, committedFlows, leftOutFlows: this.#leftOutFlows };
  }

  state(): CommitState {
    const newest = this.#pending.newestUs;
    return {
      newestAt: newest > 0 ? newest / 1e6 : null,
      committedTo: this.#committedUs > 0 ? this.#committedUs / 1e6 : null,
      uncommitted: this.#uncommitted(),
      uncommittedSinceMs: this.#batch?.firstReadMs ?? this.#pending.firstReadMs(),
      trouble: this.#trouble,
    };
  }

  async #commitAll(): Promise<void> {
    const { limits, onChange } = this.#options;
    for (;;) {
      const firstReadMs = this.#pending.firstReadMs();
      const flows = this.#takeNext();
      if (flows.length > 0 || this.#isReportDue()) await this.#commit(flows, firstReadMs);
      else if (this.#isEnding) return;
      else await this.#rest(limits.tickMs);
      onChange();
    }
  }

  #uncommitted = (): number => this.#pending.count + (this.#batch?.size ?? 0);

  /**
   * Takes the flows to commit next. Takes all when memory is half full, so that reading can
   * continue during the commit.
   */
  #takeNext(): Flow[] {
    const { limits } = this.#options;
    const isFull = this.#pending.count >= limits.pendingFlows / 2;
    if (this.#isEnding || isFull) return this.#pending.takeAll();
    const now = this.#options.now();
    const sinceMs = now.monotonicMs - this.#lastCommitMs;
    return sinceMs < limits.commitEveryMs ? [] : this.#pending.takeDue(now);
  }

  /**
   * Returns whether to commit losses, and what the feed is doing, without flows: there are none for
   * a while, or none left. Otherwise this is committed with flows.
   */
  #isReportDue(): boolean {
    const { limits, now } = this.#options;
    const sinceMs = now().monotonicMs - this.#lastCommitMs;
    const isDue = this.#isEnding ? !this.#isEndCommitted : sinceMs >= limits.lossesEveryMs;
    if (isDue && (this.#number > 0 || this.#options.reportsAtOnce)) return true;
    const mayHaveLosses = isDue || this.#isEnding;
    return mayHaveLosses && lossesSince(this.#losses(), this.#committedLosses) !== null;
  }

  #losses = (): FeedLossCounts => ({
    ...this.#options.losses(this.#isEnding ? 'over' : 'reading'),
    leftOutFlows: this.#leftOutFlows,
  });

  async #commit(flows: readonly Flow[], firstReadMs: MonotonicMs | null): Promise<void> {
    this.#batch = { size: flows.length, firstReadMs };
    this.#lastCommitMs = this.#options.now().monotonicMs;
    const batch: FeedBatch = {
      number: this.#number + 1,
      flows,
      flowsSoFar: this.#committedFlows + flows.length,
      newestUs: flows.reduce(
        (newest, { startUs, durationUs }) => Math.max(newest, startUs + durationUs),
        this.#committedUs,
      ),
      losses: this.#losses(),
      state: {
        waitingFlows: this.#pending.count,
        readUs: this.#pending.newestUs,
        isLast: this.#isEnding,
      },
    };
    const leftOut = await this.#commitAtLast(batch);
    this.#number = batch.number;
    this.#isEndCommitted = batch.state.isLast;
    if (flows.length > 0) this.#commits += 1;
    this.#committedFlows = batch.flowsSoFar - countLeftOut(leftOut);
    this.#leftOutFlows += countLeftOut(leftOut);
    this.#committedLosses = { ...batch.losses, leftOutFlows: this.#leftOutFlows };
    this.#committedUs = batch.newestUs;
    this.#batch = null;
    this.noteTrouble(null);
    if (leftOut.size > 0) this.#options.onLeftOut(leftOut);
    this.#makeRoom();
  }

  /**
   * Retries until the batch is committed; once the feed is asked to end, only for a limited time.
   */
  async #commitAtLast(batch: FeedBatch): Promise<LeftOutFlows> {
    const { commit, limits, stop } = this.#options;
    let retryMs = limits.firstRetryMs;
    for (;;) {
      try {
        return await commit(batch, this.#outOfPatience.signal);
      } catch (error) {
        if (!isPassing(error) || this.#outOfPatience.signal.aborted)
          throw this.#notCommitted(error);
        this.noteTrouble(`the database is unavailable (${reasonOf(error)}), trying again`);
      }
      // A request to end does not wait for a long pause to pass.
      await (stop.aborted ? delay(retryMs) : pause(retryMs, stop));
      retryMs = stop.aborted
        ? limits.firstRetryMs
        : Math.min(2 * retryMs, LIMITS.feedLongestRetryMs);
    }
  }

  #notCommitted(error: unknown): IngestError {
    const uncommitted = this.#uncommitted();
    const what = uncommitted > 0 ? `${uncommitted} flows that were read are` : 'the losses are';
    return new IngestError(`${what} not committed: ${reasonOf(error)}`, { cause: error });
  }

  #rest(restMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, restMs);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const pause = (pauseMs: number, stop: AbortSignal): Promise<void> =>
  delay(pauseMs, undefined, { signal: stop }).catch(() => {});
