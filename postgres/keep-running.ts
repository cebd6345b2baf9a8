import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../domain/limits.ts';
import { reasonOf } from '../domain/text/reason-of.ts';
import { isAlive, type ProcessRecord } from './process-identity.ts';

export type Keeper = {
  /** Number of times the server was restarted. */
  readonly restarts: () => number;
  /** Stops monitoring the server. Waits for a restart in progress. */
  stop(): Promise<void>;
};

export type KeeperOptions = {
  readonly server: ProcessRecord;
  /** Restarts the server, unless another process already has; `restarted` says whether it did. */
  readonly revive: () => Promise<{ server: ProcessRecord; restarted: boolean }>;
  readonly warn: (line: string) => void;
  /** In milliseconds. Tests cannot wait as long as production does. */
  readonly pauses?: Pauses;
};

type Pauses = { readonly look: number; readonly first: number; readonly most: number };

const PAUSES: Pauses = {
  look: LIMITS.embeddedCheckMs,
  first: LIMITS.embeddedPauseMs,
  most: LIMITS.embeddedLongestPauseMs,
};

/**
 * Monitors a server and restarts it if it dies: the first time immediately, and if it keeps dying,
 * after ever longer pauses.
 */
export function keepRunning({ server, revive, warn, pauses = PAUSES }: KeeperOptions): Keeper {
  const stopping = new AbortController();
  let restarts = 0;
  const work = watch();
  return {
    restarts: () => restarts,
    async stop() {
      stopping.abort();
      await work;
    },
  };

  async function watch(): Promise<void> {
    let current = server;
    let pause = 0;
    let startedAt = performance.now();
    while (await isTimeTo(pauses.look)) {
      if (seemsAlive(current)) {
        if (performance.now() - startedAt > pauses.most) pause = 0;
        continue;
      }
      if (!(await isTimeTo(pause))) return;
      pause = Math.min(pauses.most, Math.max(pauses.first, pause * 2));
      try {
        const revived = await revive();
        current = revived.server;
        if (revived.restarted) restarts += 1;
        startedAt = performance.now();
      } catch (error) {
        const reason = reasonOf(error);
        warn(`${reason} (the next attempt follows in ${pause / 1000} s)`);
      }
    }
  }

  /** If that cannot be determined, say for lack of file descriptors, the next check may. */
  function seemsAlive(record: ProcessRecord): boolean {
    try {
      return isAlive(record);
    } catch (error) {
      warn(`${reasonOf(error)} (whether PostgreSQL runs is not known now, and is looked at again)`);
      return true;
    }
  }

  /** Waits for `ms` milliseconds. Returns false if the monitoring was stopped. */
  async function isTimeTo(ms: number): Promise<boolean> {
    await delay(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    return !stopping.signal.aborted;
  }
}
