import type { FailedSignIns as Failed } from '../../db/sql/audit.ts';
import { LIMITS } from '../../domain/limits.ts';
import { printable } from '../../domain/text/printable.ts';

const MINUTE_MS = 60_000;

type Pair = { readonly username: string | null; readonly from: string | null; count: number };

/**
 * Counts failed sign-ins by name and address until they are written to the audit. In a minute, only
 * so many names and addresses are told apart; all others are counted together, so an attack takes
 * neither memory nor rows. While the database is away, the minute does not end.
 */
export class FailedSignIns {
  readonly #now: () => number;
  readonly #pairs = new Map<string, Pair>();
  /** Number of names that are told apart, by address. */
  readonly #names = new Map<string, number>();
  #startedMs = 0;

  /** now: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(username: string, from: string): void {
    // Cut if it is longer than any user's: it is nobody's, and must not take memory.
    const name = printable(username.slice(0, LIMITS.nameLength + 1)).replace(
      /\p{Surrogate}/gu,
      '\ufffd',
    );
    this.add([{ username: name, from, count: 1 }]);
  }

  add(failed: readonly Failed[]): void {
    if (this.#pairs.size === 0) this.#startedMs = this.#now();
    for (const each of failed) this.#pairOf(each).count += each.count;
  }

  /** Returns what was counted since the last call, and how long ago its minute began. */
  take(): { failed: readonly Failed[]; ageSeconds: number } {
    const ageMs = this.#now() - this.#startedMs;
    const failed = [...this.#pairs.values()]
      .filter(({ count }) => count > 0)
      .map((pair) => ({ ...pair }));
    for (const pair of this.#pairs.values()) pair.count = 0;
    if (ageMs >= MINUTE_MS) {
      this.#pairs.clear();
      this.#names.clear();
    }
    return { failed, ageSeconds: ageMs / 1000 };
  }

  #pairOf({ username, from }: Failed): Pair {
    const isOpen = this.#pairs.size < LIMITS.failedSignIns;
    const names = this.#names.get(from ?? '') ?? 0;
    const exact = this.#pairs.get(keyOf(username, from));
    if (exact) return exact;
    if (isOpen && username !== null && from !== null && names < LIMITS.failedSignInsOfAddress) {
      this.#names.set(from, names + 1);
      return this.#put(username, from);
    }
    const ofAddress = this.#pairs.get(keyOf(null, from));
    if (ofAddress) return ofAddress;
    if (isOpen) return this.#put(null, from);
    return this.#pairs.get(keyOf(null, null)) ?? this.#put(null, null);
  }

  #put(username: string | null, from: string | null): Pair {
    const pair = { username, from, count: 0 };
    this.#pairs.set(keyOf(username, from), pair);
    return pair;
  }
}

const keyOf = (username: string | null, from: string | null): string =>
  JSON.stringify([username, from]);
