import { LRUCache } from 'lru-cache';
import { LIMITS } from '../domain/limits.ts';

export type LogInFailureLimits = {
  /** Of one user from one caller. */
  readonly perUser: number;
  /** Of all users from one caller. */
  readonly perAddress: number;
  readonly windowMs: number;
};

type Count = { readonly until: number; failures: number };

/**
 * Log-ins that failed, by caller and user. What is refused is the pair: somebody who fails in a
 * user's name locks that user out nowhere but at his own address, and a script with an old token
 * locks nobody out but itself. An address as a whole is refused at a much higher limit, and even
 * then not to users who proved there who they are: they share it with whoever tries out names.
 *
 * While a pair is refused its right token is too, and no failure is counted: otherwise guessing
 * would go on, and a script that repeats itself would use up its address.
 */
export class LogInFailures {
  readonly #limits: LogInFailureLimits;
  readonly #now: () => number;
  readonly #pairs = new LRUCache<string, Count>({ max: LIMITS.rememberedCallers });
  readonly #addresses = new LRUCache<string, Count>({ max: LIMITS.rememberedCallers });
  readonly #proved = new LRUCache<string, true>({ max: LIMITS.rememberedCallers });

  /** now: milliseconds of a clock that is never set back. */
  constructor(limits: LogInFailureLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whole seconds until the caller may try again as this user; 0: now. */
  waitSeconds(caller: string, username: string): number {
    const { perUser, perAddress } = this.#limits;
    const pair = pairOf(caller, username);
    const ofPair = this.#waitMs(this.#pairs.get(pair), perUser);
    const ofAddress = this.#proved.has(pair)
      ? 0
      : this.#waitMs(this.#addresses.get(caller), perAddress);
    return Math.ceil(Math.max(ofPair, ofAddress) / 1000);
  }

  fail(caller: string, username: string): void {
    // Without a name there is no token to guess: a header that holds none is the address's alone.
    if (username !== '') this.#add(this.#pairs, pairOf(caller, username));
    this.#add(this.#addresses, caller);
  }

  succeed(caller: string, username: string): void {
    const pair = pairOf(caller, username);
    this.#pairs.delete(pair);
    this.#proved.set(pair, true);
  }

  #waitMs(count: Count | undefined, limit: number): number {
    return count && count.failures >= limit ? Math.max(0, count.until - this.#now()) : 0;
  }

  #add(counts: LRUCache<string, Count>, key: string): void {
    const known = counts.get(key);
    if (known && known.until > this.#now()) known.failures += 1;
    else counts.set(key, { until: this.#now() + this.#limits.windowMs, failures: 1 });
  }
}

/** A name longer than any user's is cut: it is nobody's, and takes no memory. */
const pairOf = (caller: string, username: string): string =>
  `${caller} ${username.slice(0, LIMITS.nameLength + 1)}`;
