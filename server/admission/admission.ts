import { Counter, type Registry } from 'prom-client';
import { LIMITS } from '../../domain/limits.ts';
import type { Logger } from '../telemetry/log.ts';
import { observedGauge } from '../telemetry/observed-metrics.ts';

/** Why a request is refused: no capacity, none left for this caller, or it waited too long. */
const REFUSALS = ['total', 'share', 'wait'] as const;

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

/** Registers the metrics of admission; returns a function that counts a refused request. */
export function registerAdmission(
  registry: Registry,
  admission: Pick<Admission, 'active'>,
): (why: Refusal) => void {
  observedGauge(
    registry,
    {
      name: 'countergraph_requests_at_work',
      help: 'Requests in progress; at most COUNTERGRAPH_MAX_CONCURRENT',
    },
    () => admission.active,
  );
  const refused = new Counter({
    name: 'countergraph_refused_requests_total',
    help: 'Requests that were refused with 503 because of overload, by reason',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of REFUSALS) refused.inc({ why }, 0);
  return (why) => refused.inc({ why });
}

/**
 * Logs many refusals in one line: an overloaded server should not log each request that it refuses.
 * The first refusal is logged immediately, the others as a sum.
 */
export class RefusalLog {
  readonly #log: Logger;
  #untold = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  refused(): void {
    this.#untold += 1;
    if (this.#timer === null) this.#tell();
  }

  /** Logs the refusals that are not logged yet; there will be no more. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#tell();
  }

  #tell(): void {
    this.#timer = null;
    if (this.#untold === 0) return;
    this.#log.warn({ refused: this.#untold }, 'too busy: requests were refused');
    this.#untold = 0;
    this.#timer = setTimeout(() => this.#tell(), LIMITS.refusalLogMs).unref();
  }
}
