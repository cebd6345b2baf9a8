import type { CrowdLimit } from './crowd-limit.ts';

export type AdmissionLimits = {
  /** Requests that are worked on at once. */
  readonly total: number;
  /** Of one user; of one caller, while it is not known who asks. */
  readonly share: number;
};

/** Why there is no room: for anybody, for this caller, or as long as there is a crowd. */
export const FULLNESSES = ['total', 'share', 'crowd'] as const;

export type Fullness = (typeof FULLNESSES)[number];

/** A request that is worked on. */
export type Place = {
  /** The request is this user's from now on. Otherwise: the user has as many already. */
  take(username: string): Fullness | null;
  /** Its turn has come: a crowd that was noticed while it waited leaves no room for it. */
  goOn(): Fullness | null;
  leave(): void;
};

/**
 * How much is worked on at once, in total and for each of those who ask. Until it is proved who
 * asks, a request counts for the address it came from, never for the user it names: nobody uses up
 * another's share. In a crowd there is room for fewer, and for each of those who ask at least
 * an equal part of it.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #crowd: Crowd;
  readonly #shares = new Counts();
  /** All requests by the address they came from, also when it is known who asks. */
  readonly #callers = new Counts();
  #total = 0;

  constructor(limits: AdmissionLimits, crowd: Crowd) {
    this.#limits = limits;
    this.#crowd = crowd;
  }

  /** Requests that are worked on now. */
  get active(): number {
    return this.#total;
  }

  /** How many there may be now. */
  room(): number {
    return Math.min(this.#limits.total, this.#crowd.limitAt(this.#total));
  }

  enter(caller: string): Place | Fullness {
    const room = this.#crowd.arrives(this.#total);
    if (this.#total >= this.#limits.total) return this.#full('total');
    let share: string | null = `from ${caller}`;
    if (this.#shares.of(share) >= this.#limits.share) return this.#full('share');
    if (this.#total >= room && !this.#callers.isBelowEqualPart(caller, room)) return 'crowd';
    this.#shares.add(share);
    this.#callers.add(caller);
    this.#total += 1;
    return {
      take: (username) => {
        const own = `of ${username}`;
        if (share === null || share === own) return null;
        // One of those who ask, and not two: the address is no longer among them.
        this.#shares.remove(share);
        const full = this.#fullFor(own);
        if (full === null) share = own;
        this.#shares.add(share);
        return full;
      },
      goOn: () => {
        const room = this.#crowd.limit;
        if (this.#total <= room || share === null) return null;
        const isKnown = share !== `from ${caller}`;
        const [counts, name] = isKnown ? [this.#shares, share] : [this.#callers, caller];
        return counts.isInEqualPart(name, room) ? null : 'crowd';
      },
      leave: () => {
        if (share === null) return;
        this.#shares.remove(share);
        this.#callers.remove(caller);
        share = null;
        this.#total -= 1;
        this.#crowd.ends(this.#total);
      },
    };
  }

  #full(why: 'total' | 'share'): Fullness {
    this.#crowd.full();
    return why;
  }

  /** Why a request that is at work has no room as this user's. */
  #fullFor(user: string): Fullness | null {
    if (this.#shares.of(user) >= this.#limits.share) return this.#full('share');
    const room = this.#crowd.limit;
    return this.#total > room && !this.#shares.isBelowEqualPart(user, room) ? 'crowd' : null;
  }
}

/** How many there may be while there is a crowd, and what that is found out from. */
export type Crowd = Pick<CrowdLimit, 'limit' | 'limitAt' | 'arrives' | 'ends' | 'full'>;

/** How many each has; who has none is not kept. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Whether one more would not be more than an equal part of what there is room for. */
  isBelowEqualPart(name: string, room: number): boolean {
    const own = this.of(name);
    const names = this.#counts.size + (own === 0 ? 1 : 0);
    return own + 1 <= Math.floor(room / names);
  }

  /** Whether what there is of it is not more than that. */
  isInEqualPart(name: string, room: number): boolean {
    return this.of(name) <= Math.floor(room / this.#counts.size);
  }

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1);
  }

  remove(name: string): void {
    const count = this.of(name) - 1;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}
