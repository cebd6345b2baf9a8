import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { PlanNote } from '../../resolvers/loaders/request-reads.ts';
import type { Settings } from '../settings/settings.ts';
import type { Metrics } from './metrics.ts';
import type { CurrentRequest } from './tracing.ts';

export type { Logger } from 'pino';

/**
 * Where the lines of a log are written, which are JSON: unchanged to a pipe, as readable text to a
 * terminal. Lines are passed on at once.
 */
export function logOutput(stream: NodeJS.WriteStream): Writable {
  if (!stream.isTTY) return stream;
  return pretty({ destination: stream, sync: true, ignore: 'pid,hostname' });
}

/** Creates a log. base: fields of every line, such as the number of the process. */
export function createLog(
  level: Settings['logLevel'],
  output: Writable,
  base: Readonly<Record<string, string | number>> | null = null,
): Logger {
  return pino({ level, base }, output);
}

/** A request and its log. */
type SlowRequest = { readonly log: Logger; readonly current: CurrentRequest };

/**
 * Logs requests that took longer than slowMs until everything was read from the database, with the
 * plans of their toppers. A caller who reads slowly does not make a request slow. slowMs 0: logs
 * none.
 */
export const slowLog =
  (slowMs: number, metrics: Metrics) =>
  (request: SlowRequest, ms: number, plansOf: () => readonly PlanNote[]): void => {
    if (slowMs === 0 || ms <= slowMs) return;
    const plans = plansOf();
    metrics.slowRequest();
    const { user, operation } = request.current;
    const shown = plans.slice(0, LIMITS.slowLogPlans);
    const unnamed = plans.length - shown.length;
    request.log.warn(
      {
        user,
        operation,
        ms: Math.round(ms),
        plans: shown,
        ...(unnamed > 0 && { plansLeftOut: unnamed }),
      },
      'a request was slow',
    );
  };

type Repeated = {
  count: number;
  readonly timer: NodeJS.Timeout;
  /** Logs the count and forgets the reason. */
  readonly tell: () => void;
};

/**
 * Keeps an outage from filling the log: every request fails for the same reason, which is logged in
 * full once a minute. A defect is not repeated by an outage, so each is logged.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #repeated = new Map<string, Repeated>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns whether a failure must be logged; otherwise it is counted. `message`: what is logged. */
  isNews(message: string, error: unknown): boolean {
    if (!(error instanceof ServiceError)) return true;
    const { kind, node = null } = error;
    const reason = reasonOf(error.cause);
    const key = JSON.stringify([message, kind, node, reason]);
    const known = this.#repeated.get(key);
    if (known) {
      known.count += 1;
      return false;
    }
    // Reasons that are all different are no repetition.
    if (this.#repeated.size >= LIMITS.repeatedFailures) return true;
    const tell = () => {
      clearTimeout(repeated.timer);
      this.#repeated.delete(key);
      const { count } = repeated;
      if (count > 0)
        this.#log.warn({ kind, node, reason, count }, `${message}, for the same reason`);
    };
    const timer = setTimeout(tell, LIMITS.repeatedFailureMs).unref();
    const repeated: Repeated = { count: 0, timer, tell };
    this.#repeated.set(key, repeated);
    return true;
  }

  /** Logs what is counted so far. */
  close(): void {
    for (const { tell } of this.#repeated.values()) tell();
  }
}
