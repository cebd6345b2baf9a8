import { yieldToEventLoop } from './loaders/session/event-loop-scheduler.ts';

/** Completing 1,000 objects takes some 20 ms. */
const OBJECTS_BETWEEN_YIELDS = 1_000;

type WaitingList = { readonly objects: number; readonly begin: () => void };

/**
 * Lets other requests run while a large answer is completed. Its lists are counted rather than
 * timed, so that the same request always reads in the same batches; up to a thousand objects, in as
 * few as possible.
 */
export class AnswerPace {
  readonly #signal: AbortSignal;
  /** Objects that may still begin before the next yield. */
  #left = OBJECTS_BETWEEN_YIELDS;
  readonly #waiting: WaitingList[] = [];

  /** signal: aborts when the answer is no longer needed. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Call before the objects of a list are completed. undefined: they may be completed immediately.
   * Errors: the reason why the answer is no longer needed.
   */
  begin(objects: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#left > 0) {
      this.#left -= objects;
      return undefined;
    }
    if (this.#waiting.length === 0) void this.#beginAll();
    return this.#waitFor(objects);
  }

  async #waitFor(objects: number): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push({ objects, begin: resolve }));
    this.#signal.throwIfAborted();
  }

  /** Begins all lists that wait, and yields in between. */
  async #beginAll(): Promise<void> {
    do {
      await yieldToEventLoop();
      this.#left = OBJECTS_BETWEEN_YIELDS;
      this.#beginLists();
    } while (this.#waiting.length > 0);
  }

  #beginLists(): void {
    while (this.#left > 0) {
      const list = this.#waiting.shift();
      if (!list) return;
      this.#left -= list.objects;
      list.begin();
    }
  }
}
