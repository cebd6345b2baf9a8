import { LIMITS } from '../../domain/limits.ts';
import type { Logger } from '../telemetry/log.ts';

/**
 * Logs many refusals in one line: an overloaded server should not log each request that it refuses.
 * The first refusal is logged immediately, the others as a sum.
 */
export class RefusalLog {
  readonly #log: Logger;
  #untold = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  refused(): void {
    this.#untold += 1;
    if (this.#timer === null) this.#tell();
  }

  /** Logs the refusals that are not logged yet; there will be no more. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#tell();
  }

  #tell(): void {
    this.#timer = null;
    if (this.#untold === 0) return;
    this.#log.warn({ refused: this.#untold }, 'too busy: requests were refused');
    this.#untold = 0;
    this.#timer = setTimeout(() => this.#tell(), LIMITS.refusalLogMs).unref();
  }
}
