export type AdmissionLimits = {
  /** Requests that are worked on at once. */
  readonly total: number;
  /** Of one user; of one caller, while it is not known who asks. */
  readonly share: number;
};

/** A request that is worked on. */
export type Place = {
  /** The request is this user's from now on. False: the user has as many already. */
  take(username: string): boolean;
  leave(): void;
};

/**
 * How much is worked on at once, in total and for each of those who ask. Until it is proved who
 * asks, a request counts for the address it came from, never for the user it names: nobody uses up
 * another's share.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #shares = new Map<string, number>();
  #total = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Requests that are worked on now. */
  get active(): number {
    return this.#total;
  }

  /** null: there is no room. */
  enter(caller: string): Place | null {
    let share: string | null = `from ${caller}`;
    if (this.#total >= this.#limits.total || !this.#add(share)) return null;
    this.#total += 1;
    return {
      take: (username) => {
        const own = `of ${username}`;
        if (share === null || share === own) return true;
        if (!this.#add(own)) return false;
        this.#remove(share);
        share = own;
        return true;
      },
      leave: () => {
        if (share === null) return;
        this.#remove(share);
        share = null;
        this.#total -= 1;
      },
    };
  }

  #add(share: string): boolean {
    const count = this.#shares.get(share) ?? 0;
    if (count >= this.#limits.share) return false;
    this.#shares.set(share, count + 1);
    return true;
  }

  #remove(share: string): void {
    const count = (this.#shares.get(share) ?? 0) - 1;
    if (count > 0) this.#shares.set(share, count);
    else this.#shares.delete(share);
  }
}
