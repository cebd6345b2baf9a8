import { serviceError } from '../../domain/errors.ts';

type TurnLimits = {
  /** How many may wait of each caller, and how many callers. */
  readonly ofCaller: number;
  readonly callers: number;
};

/**
 * A queue that serves its callers in turn: nobody waits for everything that another caller has
 * queued.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** In the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for the caller's turn. Errors: `busy`. */
  async wait(caller: string): Promise<void> {
    const own = this.#waiting.get(caller) ?? [];
    const { ofCaller, callers } = this.#limits;
    const isNew = own.length === 0;
    if (own.length >= ofCaller || (isNew && this.#waiting.size >= callers)) {
      throw serviceError('busy');
    }
    await new Promise<void>((resolve) => {
      own.push(resolve);
      this.#waiting.set(caller, own);
    });
  }

  /** Gives the next turn; returns false if nobody waits. */
  next(): boolean {
    const [first] = this.#waiting;
    if (!first) return false;
    const [caller, [start, ...others]] = first;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    start?.();
    return true;
  }
}
