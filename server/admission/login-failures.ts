import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';
import type { Settings } from '../settings/settings.ts';

type LoginFailureLimits = {
  /** Maximum number of failures of one user from one caller. */
  readonly perUser: number;
  /** Maximum number of failures of all users from one caller. */
  readonly perAddress: number;
  readonly windowMs: number;
};

export const loginLimits = (
  settings: Pick<Settings, 'loginFailures' | 'loginFailuresPerAddress' | 'loginFailureSeconds'>,
): LoginFailureLimits => ({
  perUser: settings.loginFailures,
  perAddress: settings.loginFailuresPerAddress,
  windowMs: settings.loginFailureSeconds * 1000,
});

/** With `max`, each cache would reserve that many entries from the start. */
const REMEMBERED = { maxSize: LIMITS.rememberedCallers, sizeCalculation: () => 1 };

type Count = { readonly until: number; failures: number };

/** A log-in that changes the counts. */
export type LoginChange = {
  readonly outcome: 'failed' | 'proved';
  readonly caller: string;
  readonly username: string;
};

/** All counts in a form that another process can take over; its clock may differ. */
export type LoginCounts = {
  readonly pairs: readonly LoginCount[];
  readonly addresses: readonly LoginCount[];
  readonly proved: readonly string[];
};

type LoginCount = { readonly key: string; readonly failures: number; readonly leftMs: number };

/**
 * Counts failed log-ins by caller and user. It refuses pairs of caller and user: somebody who fails
 * in a user's name locks that user out only at the address of those attempts, and a script with an
 * old token locks out only itself. A whole address is refused at a much higher limit, and even then
 * not for users who have logged in there successfully: they share the address with somebody who
 * tries out names.
 *
 * While a pair is refused, even its correct token is refused and no failure is counted. Otherwise
 * guessing could continue, and a script that retries would use up the limit of its address.
 */
export class LoginFailures {
  readonly #limits: LoginFailureLimits;
  readonly #now: () => number;
  readonly #onChange: (change: LoginChange) => void;
  readonly #pairs = new LRUCache<string, Count>(REMEMBERED);
  readonly #addresses = new LRUCache<string, Count>(REMEMBERED);
  readonly #proved = new LRUCache<string, true>(REMEMBERED);

  /** now: milliseconds of a monotonic clock. onChange: called for changes made in this process. */
  constructor(
    limits: LoginFailureLimits,
    now: () => number = () => performance.now(),
    onChange: (change: LoginChange) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#onChange = onChange;
  }

  /**
   * Returns the whole seconds until the caller may try again as this user; 0: now. provedAs: the
   * caller under which successful log-ins are noted.
   */
  waitSeconds(caller: string, username: string, provedAs = caller): number {
    const { perUser, perAddress } = this.#limits;
    const pair = pairOf(caller, username);
    const ofPair = this.#waitMs(this.#pairs.get(pair), perUser);
    const ofAddress = this.#proved.has(pairOf(provedAs, username))
      ? 0
      : this.#waitMs(this.#addresses.get(caller), perAddress);
    return Math.ceil(Math.max(ofPair, ofAddress) / 1000);
  }

  fail(caller: string, username: string): void {
    this.#countFailure(caller, username);
    this.#onChange({ outcome: 'failed', caller, username: cut(username) });
  }

  succeed(caller: string, username: string): void {
    const pair = pairOf(caller, username);
    // Most log-ins are of users who have logged in there before, and change nothing.
    const isNews = this.#pairs.has(pair) || !this.#proved.has(pair);
    this.#noteProof(pair);
    if (isNews) this.#onChange({ outcome: 'proved', caller, username: cut(username) });
  }

  /** Applies a change that was made in another process. */
  applyRemote({ outcome, caller, username }: LoginChange): void {
    if (outcome === 'failed') this.#countFailure(caller, username);
    else this.#noteProof(pairOf(caller, username));
  }

  counts(): LoginCounts {
    return {
      pairs: this.#countsOf(this.#pairs),
      addresses: this.#countsOf(this.#addresses),
      proved: [...this.#proved.keys()].reverse(),
    };
  }

  /** Takes over the counts of another process. */
  take({ pairs, addresses, proved }: LoginCounts): void {
    const now = this.#now();
    const put = (counts: LRUCache<string, Count>, all: readonly LoginCount[]): void => {
      for (const { key, failures, leftMs } of all) {
        counts.set(key, { until: now + leftMs, failures });
      }
    };
    put(this.#pairs, pairs);
    put(this.#addresses, addresses);
    for (const pair of proved) this.#proved.set(pair, true);
  }

  #countFailure(caller: string, username: string): void {
    // Without a user name there is no token to guess: the failure counts only for the address.
    if (username !== '') this.#add(this.#pairs, pairOf(caller, username));
    this.#add(this.#addresses, caller);
  }

  #noteProof(pair: string): void {
    this.#pairs.delete(pair);
    this.#proved.set(pair, true);
  }

  /** Returns the counts still in force, oldest first, so that the oldest are evicted first. */
  #countsOf(counts: LRUCache<string, Count>): LoginCount[] {
    const now = this.#now();
    return [...counts.entries()]
      .reverse()
      .map(([key, { failures, until }]) => ({ key, failures, leftMs: until - now }))
      .filter(({ leftMs }) => leftMs > 0);
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

const pairOf = (caller: string, username: string): string => `${caller} ${cut(username)}`;

/** Cuts a name that is longer than any user's: it is nobody's, and must not take memory. */
const cut = (username: string): string => username.slice(0, LIMITS.nameLength + 1);
