import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { Logger } from './log.ts';

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
