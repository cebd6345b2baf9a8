import type { TokenUse } from '../../db/sql/tokens.ts';
import type { TokenUseNotes } from '../../resolvers/callers/token-prover.ts';

/**
 * Remembers when tokens were last used until that is written to the database, which no request
 * waits for. It holds tokens that were right only, so their number is that of the users' tokens.
 */
export class TokenUses implements TokenUseNotes {
  readonly #now: () => number;
  /** When a token was last used, by its user and itself as it is stored. */
  readonly #used = new Map<string, { username: string; digest: string; atMs: number }>();

  /** now: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(username: string, tokenDigest: Buffer): void {
    this.#put(username, tokenDigest.toString('hex'), this.#now());
  }

  add(uses: readonly TokenUse[]): void {
    const now = this.#now();
    for (const { username, digest, ageSeconds } of uses) {
      this.#put(username, digest, now - ageSeconds * 1000);
    }
  }

  /** Returns what was noted since the last call. */
  take(): TokenUse[] {
    const now = this.#now();
    const uses = Array.from(this.#used.values(), ({ username, digest, atMs }) => ({
      username,
      digest,
      ageSeconds: Math.max(0, (now - atMs) / 1000),
    }));
    this.#used.clear();
    return uses;
  }

  #put(username: string, digest: string, atMs: number): void {
    const key = `${digest} ${username}`;
    const former = this.#used.get(key)?.atMs ?? atMs;
    this.#used.set(key, { username, digest, atMs: Math.max(former, atMs) });
  }
}
