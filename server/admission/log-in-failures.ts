import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';
import type { Settings } from '../settings/settings.ts';

export type LogInFailureLimits = {
  /** Of one user from one caller. */
  readonly perUser: number;
  /** Of all users from one caller. */
  readonly perAddress: number;
  readonly windowMs: number;
};

export const logInLimits = (
  settings: Pick<Settings, 'logInFailures' | 'logInFailuresPerAddress' | 'logInFailureSeconds'>,
): LogInFailureLimits => ({
  perUser: settings.logInFailures,
  perAddress: settings.logInFailuresPerAddress,
  windowMs: settings.logInFailureSeconds * 1000,
});

type Count = { readonly until: number; failures: number };

/** A log-in that changes what is counted. */
export type LogInChange = {
  readonly outcome: 'failed' | 'proved';
  readonly caller: string;
  readonly username: string;
};

/** All that is counted, in a form that another process can take over; its clock may differ. */
export type LogInCounts = {
  readonly pairs: readonly LogInCount[];
  readonly addresses: readonly LogInCount[];
  readonly proved: readonly string[];
};

type LogInCount = { readonly key: string; readonly failures: number; readonly leftMs: number };

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
  readonly #onChange: (change: LogInChange) => void;
  readonly #pairs = new LRUCache<string, Count>({ max: LIMITS.rememberedCallers });
  readonly #addresses = new LRUCache<string, Count>({ max: LIMITS.rememberedCallers });
  readonly #proved = new LRUCache<string, true>({ max: LIMITS.rememberedCallers });

  /** now: milliseconds of a clock that is never set back. onChange: told of what happens here. */
  constructor(
    limits: LogInFailureLimits,
    now: () => number = () => performance.now(),
    onChange: (change: LogInChange) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#onChange = onChange;
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
    this.#countFailure(caller, username);
    this.#onChange({ outcome: 'failed', caller, username: cut(username) });
  }

  succeed(caller: string, username: string): void {
    const pair = pairOf(caller, username);
    // Most log-ins are of users who are known there, and change nothing.
    const isNews = this.#pairs.has(pair) || !this.#proved.has(pair);
    this.#noteProof(pair);
    if (isNews) this.#onChange({ outcome: 'proved', caller, username: cut(username) });
  }

  /** It happened in another process. */
  heard({ outcome, caller, username }: LogInChange): void {
    if (outcome === 'failed') this.#countFailure(caller, username);
    else this.#noteProof(pairOf(caller, username));
  }

  counts(): LogInCounts {
    return {
      pairs: this.#countsOf(this.#pairs),
      addresses: this.#countsOf(this.#addresses),
      proved: [...this.#proved.keys()].reverse(),
    };
  }

  /** Takes over what another process has counted. */
  take({ pairs, addresses, proved }: LogInCounts): void {
    const now = this.#now();
    const put = (counts: LRUCache<string, Count>, all: readonly LogInCount[]): void => {
      for (const { key, failures, leftMs } of all) {
        counts.set(key, { until: now + leftMs, failures });
      }
    };
    put(this.#pairs, pairs);
    put(this.#addresses, addresses);
    for (const pair of proved) this.#proved.set(pair, true);
  }

  #countFailure(caller: string, username: string): void {
    // Without a name there is no token to guess: a header that holds none is the address's alone.
    if (username !== '') this.#add(this.#pairs, pairOf(caller, username));
    this.#add(this.#addresses, caller);
  }

  #noteProof(pair: string): void {
    this.#pairs.delete(pair);
    this.#proved.set(pair, true);
  }

  /** Those that still count, the oldest first, as they are to be forgotten first. */
  #countsOf(counts: LRUCache<string, Count>): LogInCount[] {
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

/** A name longer than any user's is cut: it is nobody's, and takes no memory. */
const cut = (username: string): string => username.slice(0, LIMITS.nameLength + 1);
