/** Why a request was refused: no room at all, none for this caller, or it waited for too long. */
export const REFUSALS = ['total', 'share', 'wait'] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Held by a request from its arrival to its end. */
export type Permit = {
  /** The request counts for this user from now on. Otherwise: the user has too many already. */
  countFor(username: string): Refusal | null;
  leave(): void;
};

/**
 * A caller may have so many times as much as is still free. So one caller alone gets three quarters
 * of the room, each of two gets three sevenths, and however many there are, some room is left for
 * those who come next (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
const SHARE_OF_FREE = 3;

/**
 * How many requests are under way at once, in total and of each caller. A request counts for the
 * address it came from until its token was found right, and for the user from then on: whoever
 * merely names a user takes nothing from them.
 */
export class Admission {
  readonly #total: number;
  #active = 0;
  /** By caller: an address or a user. */
  readonly #counts = new Map<string, number>();

  constructor(total: number) {
    this.#total = total;
  }

  /** Requests that are under way now. */
  get active(): number {
    return this.#active;
  }

  /** Whether a request from this address is under way of which it is not known who asks. */
  hasAny(address: string): boolean {
    return this.#counts.has(`from ${address}`);
  }

  enter(address: string): Permit | Refusal {
    const free = this.#total - this.#active;
    if (free === 0) return 'total';
    let caller: string | null = `from ${address}`;
    if (!this.#isFair(caller, free)) return 'share';
    this.#count(caller, 1);
    this.#active += 1;
    return {
      countFor: (username) => {
        const user = `user ${username}`;
        if (caller === null || caller === user) return null;
        // The room that the request takes itself is free for its user.
        if (!this.#isFair(user, this.#total - this.#active + 1)) return 'share';
        this.#count(caller, -1);
        this.#count(user, 1);
        caller = user;
        return null;
      },
      leave: () => {
        if (caller === null) return;
        this.#count(caller, -1);
        this.#active -= 1;
        caller = null;
      },
    };
  }

  #isFair(caller: string, free: number): boolean {
    return (this.#counts.get(caller) ?? 0) < SHARE_OF_FREE * free;
  }

  #count(caller: string, change: 1 | -1): void {
    const count = (this.#counts.get(caller) ?? 0) + change;
    if (count > 0) this.#counts.set(caller, count);
    else this.#counts.delete(caller);
  }
}
