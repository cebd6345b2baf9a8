/** Why a request is refused: no capacity, none left for this caller, or it waited too long. */
export const REFUSALS = ['total', 'share', 'wait'] as const;

export type Refusal = (typeof REFUSALS)[number];

/** The permit that a request holds from its arrival to its end. */
export type Permit = {
  /** Counts the request for this user from now on; returns why if the user has too many already. */
  countFor(username: string): Refusal | null;
  leave(): void;
};

/**
 * A caller may use up to this multiple of the capacity that is still free. So a single caller gets
 * three quarters of the capacity, each of two gets three sevenths, and however many there are, some
 * capacity is left for new callers (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
const SHARE_OF_FREE = 3;

/**
 * Limits how many requests are in progress at once, in total and per caller. A request counts for
 * its source address until its token is verified, and for the user from then on: a caller that
 * merely names a user does not use up that user's share.
 */
export class Admission {
  readonly #total: number;
  #active = 0;
  /** By caller: an address or a user. */
  readonly #counts = new Map<string, number>();

  constructor(total: number) {
    this.#total = total;
  }

  /** Number of requests in progress. */
  get active(): number {
    return this.#active;
  }

  /** Whether a request from this address, with a user not verified yet, is in progress. */
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
        // The capacity that this request itself uses counts as free for its user.
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
