import { performance } from 'node:perf_hooks';
import { LIMITS } from '../../domain/limits.ts';

/**
 * Who goes on in this turn of the event loop, and who in one of the next. What has arrived is all
 * worked on before the loop turns, however much it is, and with each turn only one connection is
 * accepted (libuv since 1.45): under load new callers would wait for many seconds, also those who
 * are only to be refused. Where one was accepted, more may be waiting: then the loop turns sooner,
 * and most turns are for accepting only.
 */
export class LoopTurns {
  readonly #begun: (() => void)[] = [];
  readonly #arrived: (() => void)[] = [];
  /** Whether a turn is to come in which somebody goes on. */
  #isDue = false;
  #hasNewCaller = false;
  /** When somebody has last gone on. */
  #workedAt = Number.NEGATIVE_INFINITY;

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

  /** Once for all who wait: there may be hundreds. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#isDue = false;
    const now = performance.now();
    const isAccepting = this.#hasNewCaller;
    this.#hasNewCaller = false;
    if (isAccepting && now - this.#workedAt < LIMITS.loopAcceptingPauseMs) this.#schedule();
    else this.#goOn(now + (isAccepting ? LIMITS.loopTurnAcceptingMs : LIMITS.loopTurnMs));
  }

  /** One goes on, and the next when all is done that this sets off at once. */
  #goOn(until: number): void {
    const goOn = this.#begun.shift() ?? this.#arrived.shift();
    if (!goOn) return;
    goOn();
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#workedAt = performance.now();
        if (this.#workedAt < until) this.#goOn(until);
        else if (this.#begun.length + this.#arrived.length > 0) this.#schedule();
      }),
    );
  }
}
