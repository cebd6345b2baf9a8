import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import type { Admission } from '../admission/admission.ts';

/**
 * Limits how many answers are computed for subscriptions at once. Each takes a permit of admission,
 * as a request does. After a commit hundreds may be due, and requests need connections, too.
 */
export class Permits {
  readonly #admission: Pick<Admission, 'enter'>;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** connections: how many this process has for reading. Each of several processes has a few. */
  constructor(admission: Pick<Admission, 'enter'>, connections: number) {
    this.#admission = admission;
    const fewerThanHalf = Math.ceil(connections / 2) - 1;
    this.#free = Math.max(1, Math.min(LIMITS.liveAtOnce, fewerThanHalf));
  }

  /** Errors: the signal is aborted before there is a permit. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#taken();
    try {
      return await this.#admitted(work, signal);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #admitted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    // Under overload, all subscriptions together get the share of one caller.
    let permit = this.#admission.enter('subscriptions');
    while (typeof permit === 'string') {
      await delay(LIMITS.livePermitMs, undefined, { signal });
      permit = this.#admission.enter('subscriptions');
    }
    try {
      return await work();
    } finally {
      permit.leave();
    }
  }

  #taken(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }
}
