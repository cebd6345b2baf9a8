import { performance } from 'node:perf_hooks';
import { LIMITS } from '../domain/limits.ts';

/**
 * Who goes on in this turn of the event loop, and who in one of the next. What has arrived is all
 * worked on before the loop turns, however much it is, and with each turn only one connection is
 * accepted (libuv since 1.45): under load new callers would wait for many seconds, also those who
 * are only to be refused. Where one was accepted, more may be waiting, and the loop turns sooner.
 */
export class LoopTurns {
  readonly #begun: (() => void)[] = [];
  readonly #arrived: (() => void)[] = [];
  #began = 0;
  #hasNewCaller = false;
  /** How long this turn may take. */
  #turnMs: number = LIMITS.loopTurnMs;
  /** Calls of #goOn that are still to come in this turn, and in the next. */
  #due = 0;
  #dueNext = 0;

  /**
   * To be awaited before each larger piece of work. What has begun comes first, so that it waits
   * once and not again and again; else all go on in the order in which they came.
   */
  take(stage: 'arrived' | 'begun'): Promise<void> {
    return new Promise((resolve) => {
      (stage === 'begun' ? this.#begun : this.#arrived).push(resolve);
      this.#schedule();
    });
  }

  /** A connection was accepted. */
  accepted(): void {
    this.#hasNewCaller = true;
  }

  #schedule(): void {
    this.#dueNext += 1;
    setImmediate(() => this.#goOn());
  }

  /** One goes on: each in a call of its own, after which Node runs all that it sets off. */
  #goOn(): void {
    if (this.#due === 0) {
      [this.#due, this.#dueNext] = [this.#dueNext, 0];
      this.#began = performance.now();
      this.#turnMs = this.#hasNewCaller ? LIMITS.loopTurnAcceptingMs : LIMITS.loopTurnMs;
      this.#hasNewCaller = false;
    }
    this.#due -= 1;
    const isTime = performance.now() - this.#began < this.#turnMs;
    if (isTime) (this.#begun.shift() ?? this.#arrived.shift())?.();
    else this.#schedule();
  }
}
