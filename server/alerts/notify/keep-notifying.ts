import {
  isTransactionPooled,
  type OpenConnection,
  openConnection,
} from '../../../db/connection/connection.ts';
import { endConnection } from '../../../db/connection/end-connection.ts';
import { NEEDS_SESSION } from '../../../db/connection/pooling.ts';
import type { Retries } from '../../../db/sql/alert-deliveries.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  type BackgroundWork,
  type Delays,
  workInBackground,
} from '../../background/background-work.ts';
import type { Logger } from '../../telemetry/log.ts';
import { NotificationTally } from './notification-metrics.ts';
import { Notifier } from './notifier.ts';
import type { Variable } from './post-to-sink.ts';

export type KeepNotifyingOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** The environment, which may hold addresses and secrets of sinks. */
  readonly variable?: Variable;
  readonly tally?: NotificationTally;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
  /** How long a statement may take before its connection counts as lost. */
  readonly statementMs?: number;
  readonly retries?: Retries;
  readonly repeatMs?: number;
  readonly answerMs?: number;
};

const DELAYS = { firstMs: LIMITS.notificationCheckMs, everyMs: LIMITS.notificationCheckMs };

const RETRIES = {
  firstMs: LIMITS.notificationFirstRetryMs,
  longestMs: LIMITS.notificationLongestRetryMs,
  giveUpMs: LIMITS.notificationGiveUpMs,
};

/**
 * Notifies the sinks of all contexts when alerts begin and end. Only one of the servers of a
 * database does so; when it ends or dies, another one takes over (docs/adr/0018-alerts.md).
 */
export function keepNotifying(options: KeepNotifyingOptions): BackgroundWork {
  const { delays = DELAYS, log } = options;
  const keeper = new NotifierKeeper(options, () => void work.runOnce());
  const work = workInBackground((signal) => keeper.check(signal), delays, log);
  return {
    runOnce: work.runOnce,
    async stop() {
      await work.stop();
      await keeper.end();
    },
  };
}

/** Keeps a notifier, and creates a new one after its connection was lost. */
class NotifierKeeper {
  readonly #options: KeepNotifyingOptions;
  readonly #checkNow: () => void;
  #notifier: Notifier | null = null;
  /** The newest connection. */
  #connection: OpenConnection | null = null;
  #isPooled = false;
  #isFailing = false;
  #isWoken = false;

  constructor(options: KeepNotifyingOptions, checkNow: () => void) {
    this.#options = options;
    this.#checkNow = checkNow;
  }

  async check(signal: AbortSignal): Promise<void> {
    this.#isWoken = false;
    if (this.#isPooled) return;
    const onAbort = () => void this.end();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (this.#notifier?.isOver) this.#notifier = null;
      this.#notifier ??= await this.#open();
      await this.#notifier?.sendDue();
      if (this.#isFailing) this.#options.log.info('sinks are notified of alerts again');
      this.#isFailing = false;
    } catch (error) {
      if (!signal.aborted) await this.#giveUp(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async end(): Promise<void> {
    await this.#notifier?.end();
  }

  /** Opens a notifier. null: behind a pooler in transaction mode, which cannot hold the lock. */
  async #open(): Promise<Notifier | null> {
    const { databaseUrl, log, clock = Date.now, retries = RETRIES } = this.#options;
    const { variable = (name: string) => process.env[name] } = this.#options;
    const { tally = new NotificationTally() } = this.#options;
    const { repeatMs = LIMITS.alertmanagerRepeatMs } = this.#options;
    const { answerMs = LIMITS.notificationMs } = this.#options;
    const { statementMs = LIMITS.alertStatementMs } = this.#options;
    const connection = await openConnection(databaseUrl, 'notifier', {
      statementMs,
      replaces: this.#connection,
    });
    this.#connection = connection;
    if (isTransactionPooled(connection)) {
      await endConnection(connection);
      this.#isPooled = true;
      log.warn(`sinks are not notified of alerts: ${NEEDS_SESSION}`);
      return null;
    }
    return new Notifier({
      connection,
      log,
      clock,
      variable,
      tally,
      retries,
      repeatMs,
      answerMs,
      onSent: () => this.#wake(),
      onFailure: (error) => void this.#giveUp(error),
    });
  }

  /** Ends the connection and the requests with it. The next pass opens another connection. */
  async #giveUp(error: unknown): Promise<void> {
    const { log } = this.#options;
    if (!this.#isFailing)
      log.error({ err: error }, 'sinks cannot be notified of alerts, which is retried');
    this.#isFailing = true;
    const failed = this.#notifier;
    this.#notifier = null;
    await failed?.end();
  }

  /** Runs a pass now instead of at the next interval; several calls share one pass. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#checkNow();
  }
}
