import { yieldToEventLoop } from '../engine/snapshot/event-loop-scheduler.ts';

/**
 * Completing so many values takes some milliseconds, even if each begins to load a series. They are
 * counted rather than timed, so that the same operation always reads in the same batches.
 */
const VALUES_BETWEEN_YIELDS = 1_000;

/** So do so many characters of long texts. */
const CHARACTERS_BETWEEN_YIELDS = 500_000;

/** How far an operation has come, or one of its fields that may end earlier than the operation. */
export type Progress = {
  /**
   * Call before values are completed: an object, an entry of a list, a leaf each count one. Errors:
   * why the work has ended.
   */
  take(values: number): void;
  /** Notes characters of the answer. */
  write(characters: number): void;
  /** Whether other requests have to run before the next object is completed; see `later`. */
  readonly isDue: boolean;
  /** Calls `work` after other requests have run. */
  later<T>(work: () => T | Promise<T>): Promise<T>;
  /** Errors: why the work has ended. */
  requireGoing(): void;
};

/** What an operation may use. */
export type Allowance = {
  /** Number of values that it may complete. */
  readonly values: number;
  /** Returns the error for an operation with more. */
  readonly exceeded: () => Error;
  /** Called now and then with the characters of the answer so far. Errors: it must not go on. */
  readonly onWritten: (characters: number) => void;
  /** Called when some of the work begins to wait for its turn, and when all of it has run. */
  readonly onWaiting: (isWaiting: boolean) => void;
};

type End = { readonly error: unknown };

/**
 * The progress of one operation: each value that is completed passes `take`. There it is counted;
 * there the operation ends if it has too many, runs out of time, or nobody waits for it any more;
 * and from there `isDue` knows when other requests have to run.
 */
export class OperationProgress implements Progress {
  readonly #allowance: Allowance;
  #taken = 0;
  /** Values that were announced before they are completed. */
  #expected = 0;
  #yieldsAt = VALUES_BETWEEN_YIELDS;
  #written = 0;
  #yieldsAtCharacter = CHARACTERS_BETWEEN_YIELDS;
  #ended: End | null = null;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;
  #reject: (error: unknown) => void = () => undefined;
  /** Rejected with the error that ends the operation. */
  readonly whenEnded: Promise<never>;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
    this.whenEnded = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Nobody may be waiting for it.
    this.whenEnded.catch(() => undefined);
  }

  /** Why the operation has ended early; null: it has not. */
  get ended(): End | null {
    return this.#ended;
  }

  take(values: number): void {
    this.#taken += values;
    if (this.#taken > this.#allowance.values) this.end(this.#allowance.exceeded());
    if (this.#ended) throw this.#ended.error;
  }

  /** Announces values, each of which will be taken, before they are read or computed. */
  expect(values: number): void {
    this.#expected += values;
    if (this.#expected > this.#allowance.values) this.end(this.#allowance.exceeded());
    this.requireGoing();
  }

  requireGoing(): void {
    if (this.#ended) throw this.#ended.error;
  }

  end(error: unknown): void {
    if (this.#ended) return;
    this.#ended = { error };
    this.#waiting.length = 0;
    this.#reject(error);
  }

  write(characters: number): void {
    this.#written += characters;
  }

  get isDue(): boolean {
    return this.#taken >= this.#yieldsAt || this.#written >= this.#yieldsAtCharacter;
  }

  later<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isRunning) void this.#runWaiting();
    });
  }

  async #runWaiting(): Promise<void> {
    this.#isRunning = true;
    this.#allowance.onWaiting(true);
    while (this.#waiting.length > 0) {
      await yieldToEventLoop();
      this.#yieldsAt = this.#taken + VALUES_BETWEEN_YIELDS;
      this.#yieldsAtCharacter = this.#written + CHARACTERS_BETWEEN_YIELDS;
      this.#noteWritten();
      // The latest first: what has begun is completed, and its parts need not wait in memory.
      while (!this.isDue) {
        const next = this.#waiting.pop();
        if (!next) break;
        next();
      }
    }
    this.#isRunning = false;
    this.#allowance.onWaiting(false);
  }

  #noteWritten(): void {
    try {
      this.#allowance.onWritten(this.#written);
    } catch (error) {
      this.end(error);
    }
  }
}

/** The progress of a field that may end before its operation does. */
export class FieldProgress implements Progress {
  readonly #operation: Progress;
  #ended: End | null = null;

  constructor(operation: Progress) {
    this.#operation = operation;
  }

  end(error: unknown): void {
    this.#ended ??= { error };
  }

  take(values: number): void {
    this.#operation.take(values);
    if (this.#ended) throw this.#ended.error;
  }

  write(characters: number): void {
    this.#operation.write(characters);
  }

  get isDue(): boolean {
    return this.#operation.isDue;
  }

  later<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#operation.later(() => {
      this.requireGoing();
      return work();
    });
  }

  requireGoing(): void {
    this.#operation.requireGoing();
    if (this.#ended) throw this.#ended.error;
  }
}
