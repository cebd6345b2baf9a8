import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type ScryptParameters, scryptDigest } from '../../db/token-digest.ts';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ChosenToken, Proving, TokenProver } from '../../resolvers/callers/token-prover.ts';
import type { TokenClaim } from '../../resolvers/loaders/request-reads.ts';

/**
 * Proves chosen tokens, which are kept under scrypt: guesses are slow for whoever has stolen the
 * database, and for this process too. So a right token costs its user the time once; the process
 * then knows what it becomes. Wrong ones are bounded by the limits of failed log-ins, and few are
 * tried at once, in threads of Node's own pool, while the others wait, each network for its turn.
 */
export class ChosenTokens implements TokenProver {
  /** What right tokens become, by user and SHA-256. */
  readonly #known = new LRUCache<string, ChosenToken>({ max: LIMITS.rememberedTokens });
  /** Derivations in progress, by SHA-256 and salt. */
  readonly #running = new Map<string, Promise<Buffer>>();
  readonly #turns = new Turns({
    ofCaller: LIMITS.waitingScrypts,
    callers: LIMITS.waitingScryptCallers,
  });
  #free: number = LIMITS.scryptsAtOnce;
  #latest: ChosenToken | null = null;

  storedAs(claim: TokenClaim): Buffer | null {
    return this.#known.get(nameOf(claim))?.digest ?? null;
  }

  async isRight(claim: TokenClaim, stored: ChosenToken, proving: Proving): Promise<boolean> {
    this.#latest = stored;
    if (this.#isKnown(claim, stored)) return true;
    this.#known.delete(nameOf(claim));
    const derived = await this.#inTurn(proving, () => {
      if (this.#isKnown(claim, stored)) return stored.digest;
      return this.#derive(claim.digest, stored);
    });
    const isRight = timingSafeEqual(derived, stored.digest);
    if (isRight) this.#known.set(nameOf(claim), stored);
    return isRight;
  }

  /**
   * Takes as long as a wrong chosen token does, for users without one: the time must not tell who
   * exists. It takes no time until somebody is known to have one.
   */
  async pretend(claim: TokenClaim, proving: Proving): Promise<void> {
    const like = this.#latest;
    if (like) await this.#inTurn(proving, () => this.#derive(claim.digest, like));
  }

  #isKnown(claim: TokenClaim, { digest, salt }: ChosenToken): boolean {
    const known = this.#known.get(nameOf(claim));
    return known?.digest.equals(digest) === true && known.salt.equals(salt);
  }

  /** Requests with the same token at the same time share one derivation. */
  #derive(digest: Buffer, stored: ScryptParameters): Promise<Buffer> {
    const name = `${digest.toString('hex')} ${stored.salt.toString('hex')}`;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const derived = scryptDigest(digest, stored).finally(() => this.#running.delete(name));
    this.#running.set(name, derived);
    return derived;
  }

  async #inTurn<T>(
    { caller, release, check, signal }: Proving,
    work: () => T | Promise<T>,
  ): Promise<T> {
    await release();
    if (this.#free > 0) this.#free -= 1;
    // Whoever is done passes the turn on.
    else await this.#turns.wait(caller);
    try {
      signal.throwIfAborted();
      check();
      return await work();
    } finally {
      if (!this.#turns.next()) this.#free += 1;
    }
  }
}

const nameOf = ({ username, digest }: TokenClaim): string =>
  `${digest.toString('hex')} ${username}`;

type TurnLimits = {
  /** How many may wait of each caller, and how many callers. */
  readonly ofCaller: number;
  readonly callers: number;
};

/**
 * A queue that serves its callers in turn: nobody waits for everything that another caller has
 * queued.
 */
class Turns {
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
