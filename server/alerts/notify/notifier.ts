import type { OpenConnection } from '../../../db/connection/connection.ts';
import { endConnection } from '../../../db/connection/end-connection.ts';
import { releaseHeldEvents } from '../../../db/sql/alert-decisions.ts';
import {
  countWaitingDeliveries,
  type Retries,
  selectDueDeliveries,
  selectNotifiedSinks,
  tryLockNotifications,
} from '../../../db/sql/alert-deliveries.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Logger } from '../../telemetry/log.ts';
import { AlertmanagerSender } from './alertmanager-sender.ts';
import type { NotificationTally } from './notification-metrics.ts';
import { type OnDatabase, Outcomes, oneAtATime } from './outcomes.ts';
import type { Variable } from './post-to-sink.ts';
import { WebhookSender } from './webhook-sender.ts';

type NotifierOptions = {
  readonly connection: OpenConnection;
  readonly log: Logger;
  readonly clock: () => number;
  readonly variable: Variable;
  readonly tally: NotificationTally;
  readonly retries: Retries;
  readonly repeatMs: number;
  readonly answerMs: number;
  /** Called when a request is done, since more may be due now. */
  readonly onSent: () => void;
  /** Called when the notifier cannot continue. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * Sends due deliveries to sinks while its connection holds the notifier lock, which only one server
 * can hold. It records outcomes on the same connection, so a server that has lost the lock cannot
 * record anything.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #onDatabase: OnDatabase;
  readonly #ending = new AbortController();
  readonly #outcomes: Outcomes;
  readonly #counter: WaitingCounter;
  readonly #webhooks: WebhookSender;
  readonly #alertmanagers: AlertmanagerSender;
  readonly #sending = new Set<Promise<void>>();
  #isChosen = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    const { connection, log, clock, variable, tally, retries, repeatMs, answerMs } = options;
    this.#onDatabase = oneAtATime(connection);
    const onDatabase = this.#onDatabase;
    const outcomes = new Outcomes({ onDatabase, log, tally, retries });
    this.#outcomes = outcomes;
    this.#counter = new WaitingCounter({ onDatabase, tally });
    const { signal } = this.#ending;
    const sending = { onDatabase, outcomes, variable, clock, retries, repeatMs, answerMs, signal };
    this.#webhooks = new WebhookSender(sending);
    this.#alertmanagers = new AlertmanagerSender(sending);
    connection.once('end', () => this.#ending.abort(new Error('the connection is lost')));
  }

  /** Whether the notifier's connection was lost. */
  get isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /**
   * Starts sending what is due now. It runs after each request, so what it reads must not grow with
   * the number of deliveries that wait.
   */
  async sendDue(): Promise<void> {
    this.#isChosen ||= await this.#onDatabase(tryLockNotifications);
    if (!this.#isChosen) return;
    await this.#counter.count();
    await this.#onDatabase(releaseHeldEvents);
    const sinks = await this.#onDatabase(selectNotifiedSinks);
    for (const each of [this.#outcomes, this.#webhooks, this.#alertmanagers]) each.note(sinks);
    const requested = sinks.map((sink) => this.#senderOf(sink).wanted(sink));
    const withRoom = requested.filter(({ most }) => most > 0);
    const due =
      withRoom.length === 0
        ? []
        : await this.#onDatabase((connection) => selectDueDeliveries(connection, withRoom));
    const dueTo = groupBy(due, ({ sinkId }) => sinkId);
    for (const sink of sinks) {
      const begun = this.#senderOf(sink).send(sink, dueTo.get(sink.sinkId) ?? []);
      for (const sending of begun) this.#follow(sending);
    }
  }

  /** Aborts the requests in progress and releases the lock. */
  async end(): Promise<void> {
    this.#options.tally.noteWaiting([]);
    this.#ending.abort(new Error('the server ends'));
    await endConnection(this.#options.connection);
    await Promise.all(this.#sending);
  }

  #senderOf({ kind }: { readonly kind: 'webhook' | 'alertmanager' }) {
    return kind === 'webhook' ? this.#webhooks : this.#alertmanagers;
  }

  #follow(sending: Promise<void>): void {
    const { onSent, onFailure } = this.#options;
    const followed = sending.then(onSent, (error: unknown) => {
      if (!this.isOver) onFailure(error);
    });
    this.#sending.add(followed);
    void followed.then(() => this.#sending.delete(followed));
  }
}

type WaitingCounterOptions = {
  readonly onDatabase: OnDatabase;
  readonly tally: NotificationTally;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
};

/**
 * Counts the deliveries that wait, for metrics. A count reads them, and the notifier sends nothing
 * meanwhile, so the longer a count takes, the longer the pause after it.
 */
export class WaitingCounter {
  readonly #options: WaitingCounterOptions;
  #againAt = 0;

  constructor(options: WaitingCounterOptions) {
    this.#options = options;
  }

  /** Counts, unless the pause after the last count is not over. */
  async count(): Promise<void> {
    const { onDatabase, tally, now = () => performance.now() } = this.#options;
    if (now() < this.#againAt) return;
    await onDatabase(async (connection) => {
      const begunAt = now();
      tally.noteWaiting(await countWaitingDeliveries(connection, LIMITS.countedDeliveries));
      this.#againAt = now() + LIMITS.waitingCountPause * (now() - begunAt);
    });
  }
}
