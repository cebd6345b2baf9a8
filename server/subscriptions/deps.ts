import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { LoginThrottle } from '../../resolvers/callers/login-throttle.ts';
import { PRIMARY } from '../../resolvers/nodes.ts';
import { Turns } from '../../resolvers/turns.ts';
import type { Admission } from '../admission/admission.ts';
import type { Followed } from '../graphql/open-subscriptions.ts';
import type { Service } from '../service/service.ts';
import type { Logger } from '../telemetry/log.ts';
import type { NodeAddresses, VersionWatch } from './version-watch.ts';

/** What all queries share. */
export type SubscriptionDeps = {
  readonly service: Service;
  readonly watch: VersionWatch;
  readonly permits: Permits;
  readonly outages: Outages;
  readonly nodeAddresses: NodeAddresses;
  /** Called when an answer was computed. */
  readonly onComputed: () => void;
};

/**
 * Subscribers have logged in already: asking again on their behalf is not a log-in attempt. A
 * stand-in that does not know them may lag behind, so their streams go on.
 */
export const subscriberThrottle = (followed: Followed): LoginThrottle => ({
  caller: '',
  check: () => undefined,
  failed: (_, by) => (by === 'primary' ? serviceError('invalidToken') : outageRefusal(followed)),
  proved: () => undefined,
});

/** Returns the error if only stand-ins can be asked, and none of them knows the subscriber. */
export const outageRefusal = ({ contextName, destinationNode }: Followed): ServiceError =>
  destinationNode === null || destinationNode === PRIMARY
    ? serviceError('unreachable')
    : serviceError('notGrantedThere', { node: destinationNode, context: contextName });

/**
 * Limits how many answers are computed for subscriptions at once. Each takes a permit of admission,
 * as a request does. After a commit hundreds may be due, and requests need connections, too.
 */
export class Permits {
  readonly #admission: Pick<Admission, 'enter'>;
  readonly #turns: Turns;

  /** connections: how many this process has for reading. Each of several processes has a few. */
  constructor(admission: Pick<Admission, 'enter'>, connections: number) {
    this.#admission = admission;
    const fewerThanHalf = Math.ceil(connections / 2) - 1;
    this.#turns = new Turns(Math.max(1, Math.min(LIMITS.liveAtOnce, fewerThanHalf)));
  }

  /** Errors: the signal is aborted before there is a permit. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#turns.run(() => this.#admitted(work, signal));
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
}

/** A node that fails; for one that is not the primary, with the context that declares it. */
export type Outage = { readonly node: string; readonly context?: string };

/**
 * Warns once when a node begins to fail the subscriptions that it answers. Each query asks it
 * again and again, and there may be hundreds.
 */
export class Outages {
  readonly #log: Pick<Logger, 'warn' | 'info' | 'debug'>;
  readonly #away = new Set<string>();

  constructor(log: Pick<Logger, 'warn' | 'info' | 'debug'>) {
    this.#log = log;
  }

  failed(outage: Outage, err: unknown): void {
    const name = nameOf(outage);
    const level = this.#away.has(name) ? 'debug' : 'warn';
    this.#away.add(name);
    this.#log[level]({ ...outage, err }, 'a node cannot be reached: its subscriptions wait for it');
  }

  answered(outage: Outage): void {
    if (!this.#away.delete(nameOf(outage))) return;
    this.#log.info(outage, 'a node answers its subscriptions again');
  }
}

const nameOf = ({ node, context = '' }: Outage): string => JSON.stringify([context, node]);
