import type { Connection } from '../../../db/connection/connection.ts';
import {
  type NotifiedSink,
  type ReportedChanges,
  type Retries,
  updateDelivered,
  updateFailed,
} from '../../../db/sql/alert-deliveries.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { NotificationTally } from './notification-metrics.ts';
import { declaredAt, type Variable } from './post-to-sink.ts';

type OutcomesOptions = {
  readonly onDatabase: OnDatabase;
  readonly log: Logger;
  readonly tally: NotificationTally;
  readonly retries: Retries;
};

type Changes = ReportedChanges['changes'];

/** Records the outcomes of deliveries: in the database, in metrics and in the log. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  /** The declared addresses of sinks whose last delivery failed, by sink id. */
  readonly #failing = new Map<number, string>();

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  /** Notes which sinks there are: the others never return, because ids are not used again. */
  note(sinks: readonly NotifiedSink[]): void {
    const ids = new Set(sinks.map(({ sinkId }) => sinkId));
    for (const id of this.#failing.keys()) if (!ids.has(id)) this.#failing.delete(id);
  }

  async delivered(sink: NotifiedSink, changes: Changes): Promise<void> {
    const { onDatabase, tally } = this.#options;
    const { sinkId } = sink;
    const count = await onDatabase((connection) =>
      updateDelivered(connection, { sinkId, changes }),
    );
    tally.add(sink.kind, 'delivered', count);
  }

  /** Notes that a sink accepts everything that is sent to it. */
  recovered(sink: NotifiedSink): void {
    const hadFailed = this.#hasFailed(sink);
    this.#failing.delete(sink.sinkId);
    if (hadFailed) this.#options.log.info(nameOf(sink), 'a sink takes notifications again');
  }

  async failed(sink: NotifiedSink, changes: Changes, reason: string): Promise<void> {
    const { onDatabase, log, tally, retries } = this.#options;
    const { sinkId } = sink;
    const results = await onDatabase((connection) =>
      updateFailed(connection, { sinkId, changes, reason }, retries),
    );
    const givenUp = results.filter((result) => result === 'given up').length;
    tally.add(sink.kind, 'failed', results.length - givenUp);
    tally.add(sink.kind, 'given up', givenUp);
    const about = { ...nameOf(sink), reason };
    // One line per outage, not per attempt.
    if (!this.#hasFailed(sink)) log.warn(about, 'a sink cannot be notified, which is retried');
    this.#failing.set(sinkId, declaredAt(sink));
    const afterSeconds = retries.giveUpMs / 1000;
    if (givenUp > 0) log.error({ ...about, givenUp, afterSeconds }, 'notifications were given up');
  }

  /** A sink that has since been declared with another address has not failed there. */
  #hasFailed(sink: NotifiedSink): boolean {
    return this.#failing.get(sink.sinkId) === declaredAt(sink);
  }
}

const nameOf = ({ context, name, kind }: NotifiedSink) => ({ context, sink: name, kind });

/** Runs pieces of work on a shared connection, one after the other. */
export type OnDatabase = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

export function oneAtATime(connection: Connection): OnDatabase {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = tail.then(() => work(connection));
    tail = result.catch(() => undefined);
    return result;
  };
}

/** What the senders need. */
export type SendingOptions = {
  readonly onDatabase: OnDatabase;
  readonly outcomes: Outcomes;
  readonly variable: Variable;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly retries: Retries;
  /** How often to send the firing alerts to an Alertmanager again. */
  readonly repeatMs: number;
  /** How long a sink may take to answer. */
  readonly answerMs: number;
  /** Aborted when the connection is lost, since another server may notify by then. */
  readonly signal: AbortSignal;
};
