import { NodePools } from '../../db/session/node-pools.ts';
import { MEBIBYTE } from '../../domain/byte-units.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ServiceCache } from '../../engine/cache/service-cache.ts';
import { ThreadPool } from '../../engine/kernel/threads/thread-pool.ts';
import { Standbys } from '../../engine/snapshot/standbys.ts';
import { type AlertTest, type AlertTestReport, tryRule } from '../../resolvers/alerts/try-rule.ts';
import type { NodeLoaders } from '../../resolvers/loaders/node-loaders.ts';
import { RequestReads, RetryRequest } from '../../resolvers/loaders/request-reads.ts';

export type { AlertTestReport } from '../../resolvers/alerts/try-rule.ts';

/** Maximum number of attempts of a read whose pages are swept meanwhile. */
const MAX_ATTEMPTS = 3;

export type WindowReaderOptions = {
  readonly databaseUrl: string;
  /**
   * Whether small tasks run inline instead of in the worker thread. The tasks of many windows
   * arrive together, and requests of the same process would wait for all of them.
   */
  readonly runsInline: boolean;
};

/**
 * Reads windows with the loaders that requests use, so that a rule compares the values that callers
 * see. It has its own connection, worker thread and memory, so that requests never wait for it.
 */
export class WindowReader {
  readonly #pools: NodePools;
  readonly #standbys: Standbys;
  readonly #memory: ServiceCache;

  constructor({ databaseUrl, runsInline }: WindowReaderOptions) {
    this.#pools = new NodePools({ primaryUrl: databaseUrl, connections: 1 });
    this.#standbys = new Standbys({ pools: this.#pools });
    const threads = new ThreadPool({ workers: 1, queueLength: LIMITS.workerQueue, runsInline });
    this.#memory = new ServiceCache(threads, {
      segmentBytes: LIMITS.alertCacheMegabytes * MEBIBYTE,
      // Each window is read once.
      answerBytes: 0,
      responseBytes: 0,
    });
  }

  /** Runs `work` in one snapshot. Errors: those of the database; the signal's reason. */
  async inSnapshot<T>(signal: AbortSignal, work: (loaders: NodeLoaders) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      const reads = this.#open(signal);
      try {
        return await work(reads.at(reads.primaryUrl));
      } catch (error) {
        if (!(error instanceof RetryRequest) || attempts === MAX_ATTEMPTS) throw error;
      } finally {
        await reads.end();
      }
    }
  }

  /**
   * Tests a rule on stored data. Each batch of windows is read in its own snapshot, so that a long
   * test does not keep segments from being swept.
   */
  test(test: Omit<AlertTest, 'inSnapshot' | 'deadline'>): Promise<AlertTestReport> {
    return tryRule({
      ...test,
      deadline: null,
      inSnapshot: (work) => this.inSnapshot(test.signal, work),
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#pools.close(), this.#memory.threadPool.close()]);
  }

  #open(signal: AbortSignal): RequestReads {
    const reads = new RequestReads({
      pools: this.#pools,
      standbys: this.#standbys,
      memory: this.#memory,
      timeoutSeconds: LIMITS.alertTimeoutSeconds,
      now: 0,
      startedAt: performance.now(),
      seesAll: true,
      mayReadAlone: false,
      mayShare: false,
      signal,
      onPlan: () => undefined,
    });
    reads.noteIdentity('alerts');
    return reads;
  }
}
