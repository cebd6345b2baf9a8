import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type OpenConnection, openConnection } from '../../db/connection/connection.ts';
import { endConnection } from '../../db/connection/end-connection.ts';
import { tryHoldFeed } from '../../db/sql/feeds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { IngestError } from '../ingest-error.ts';
import type { MonotonicMs } from './feed-clock.ts';

type FeedPlaceOptions = {
  readonly context: string;
  readonly probe: string | null;
  /** How long to wait for another feed to be gone, and how often to look. */
  readonly waitMs: number;
  readonly tickMs: number;
  readonly monotonicMs: () => MonotonicMs;
  /** Called before waiting for another feed. */
  readonly onWaiting: (what: string) => void;
};

/** The place of the one feed that fills a context and probe: two of them would count twice. */
export type FeedPlace = {
  /**
   * Takes the place, unless this feed still has it. Waits for another feed to end, and for the
   * database to notice that; throws an `IngestError` if the other feed stays.
   */
  readonly take: (databaseUrl: string, signal: AbortSignal) => Promise<void>;
  readonly leave: () => Promise<void>;
};

/** Opens the connection that holds a place; it is used for nothing else. */
const openForPlace = (databaseUrl: string): Promise<OpenConnection> =>
  openConnection(databaseUrl, 'feed', { statementMs: LIMITS.connectTimeoutMs });

/** Returns the number by which the lock of a place is known. */
const hashOf = (context: string, probe: string | null): number =>
  createHash('sha256')
    .update(JSON.stringify([context, probe]))
    .digest()
    .readInt32BE();

/**
 * Returns the place of a feed that may run beside others. While it is taken, a feed that must be
 * alone does not start. It is taken only once, at the start: a feed that was there first must be
 * able to take its own place again when it has lost its connection.
 */
export function placeBeside({
  context,
  probe,
}: Pick<FeedPlaceOptions, 'context' | 'probe'>): FeedPlace {
  let connection: OpenConnection | null = null;
  return {
    async take(databaseUrl) {
      if (connection !== null) return;
      connection = await openForPlace(databaseUrl);
      await tryHoldFeed(connection, hashOf(context, probe), 'shared');
    },
    async leave() {
      if (connection) await endConnection(connection).catch(() => {});
    },
  };
}

export function feedPlace(options: FeedPlaceOptions): FeedPlace {
  const { context, probe, waitMs, tickMs, monotonicMs, onWaiting } = options;
  const hash = hashOf(context, probe);
  const where = probe === null ? `context ${context}` : `context ${context} and probe ${probe}`;
  let held: OpenConnection | null = null;

  async function leave(): Promise<void> {
    const connection = held;
    held = null;
    if (connection) await endConnection(connection).catch(() => {});
  }

  /** The database may have ended the connection, and given the place away. */
  async function isHeld(): Promise<boolean> {
    try {
      await held?.query('select');
    } catch {
      await leave();
    }
    return held !== null;
  }

  async function wait(connection: OpenConnection, signal: AbortSignal): Promise<void> {
    const until = monotonicMs() + waitMs;
    let isSaid = false;
    while (!(await tryHoldFeed(connection, hash))) {
      if (monotonicMs() >= until) throw new IngestError(`another feed fills ${where}: ${REMEDY}`);
      const seconds = Math.ceil(waitMs / 1000);
      if (!isSaid)
        onWaiting(`another feed fills ${where}: waiting up to ${seconds} s for it to end`);
      isSaid = true;
      await delay(tickMs, undefined, { signal });
    }
  }

  return {
    leave,
    async take(databaseUrl, signal) {
      if (await isHeld()) return;
      const connection = await openForPlace(databaseUrl);
      try {
        await wait(connection, signal);
        held = connection;
      } catch (error) {
        await endConnection(connection);
        throw error;
      }
    },
  };
}

const REMEDY =
  'two feeds of the same flows count everything twice: stop one of them, give each a --probe of ' +
  'its own, or give --beside if their flows are different ones';
