import { setImmediate } from 'node:timers';
import { yieldToEventLoop } from './event-loop-scheduler.ts';

/**
 * Decides when a batch of loads is read. Ordinarily that is as soon as everything that can run
 * without it has run. While work of the operation gives way to others, its batches wait for the
 * rest of that work: however long it takes, the operation reads by the same statements.
 */
export class BatchGate {
  /** Pieces of work that give way, or have just continued. */
  #waiting = 0;
  readonly #held: (() => void)[] = [];

  /** For DataLoader's `batchScheduleFn`. */
  readonly schedule = (dispatch: () => void): void => {
    // Like DataLoader itself: after all promises that are resolved by now.
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        if (this.#waiting > 0) this.#held.push(dispatch);
        else dispatch();
      }),
    );
  };

  /** Gives way to other requests, while the batches wait. */
  async giveWay(): Promise<void> {
    this.close();
    await yieldToEventLoop();
    this.open();
  }

  /** Call it when a piece of work gives way; each call needs one of `open`. */
  close(): void {
    this.#waiting += 1;
  }

  /** Call it when a piece of work continues. */
  open(): void {
    // Only then has it reached its own loads: what DataLoader remembers also takes a while.
    setImmediate(() => {
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      for (const dispatch of this.#held.splice(0)) dispatch();
    });
  }
}
