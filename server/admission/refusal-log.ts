import { LIMITS } from '../../domain/limits.ts';
import type { Logger } from '../telemetry/log.ts';

/**
 * One line for many refusals: a server that has too much to do does not write down each thing that
 * it does not do. The first is told at once, the others in a sum.
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

  /** No more are refused: what was not told yet. */
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
