import type { GraphQLError } from 'graphql';
import type { ContextLimit } from '../../domain/callers/grant-limit.ts';
import { type ErrorKind, ServiceError, serviceError } from '../../domain/errors.ts';
import type { Piece } from '../../domain/text/long-text.ts';
import { claimKey } from '../../resolvers/callers/claim-key.ts';
import { identifyBy } from '../../resolvers/callers/identify.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import { grantFor, signedIn } from '../../resolvers/contexts.ts';
import { PRIMARY } from '../../resolvers/nodes.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { causeOf, errorKindOf, renderError } from '../../schema/documents/render-error.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';
import { countErrors } from '../graphql/observe-graphql.ts';
import { choiceOf, type Followed, followedBy } from '../graphql/open-subscriptions.ts';
import { bodyOf } from '../graphql/render-result.ts';
import {
  type OperationRequest,
  type OperationResult,
  runOperation,
} from '../graphql/run-operation.ts';
import { CallerGone } from '../http/http-exchange.ts';
import type { ScopeRequest, Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { Logger } from '../telemetry/log.ts';
import { type Outage, outageRefusal, type SubscriptionDeps, subscriberThrottle } from './deps.ts';
import { eventOf, type Stream, type StreamEvent, type Subscriber } from './event-stream.ts';

type SubscribersOptions = {
  /** What the subscribers may see of the context; those who may see more or less share others. */
  readonly limit: ContextLimit;
  readonly operation: OperationRequest;
  readonly requested: RequestedSubscription;
  /** Called when a subscriber joined who gets answers only now. */
  readonly onConfirmed: () => void;
  /** Called when the last subscriber has left. */
  readonly onEnd: () => void;
};

export type FollowedOptions = Omit<SubscribersOptions, 'onConfirmed'>;

/** What `work` may use: the context as the node that answers grants it. */
export type Granted = Asking & { readonly granted: GrantedContext };

/** nobody: no subscriber is left who may ask; failed: the next attempt may succeed. */
type Outcome<T> =
  | { readonly kind: 'made'; readonly made: T }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'failed'; readonly json: Piece };

/** The node that answers does not know this subscriber or the grant; it may know another one. */
type Refused = { readonly kind: 'refused'; readonly json: Piece };

/**
 * The subscribers of one query. They share answers, but not rights: each was granted the context
 * when they subscribed, and loses the stream when the token is revoked or the grant removed.
 */
export class Subscribers {
  readonly followed: Followed;
  readonly operation: OperationRequest;
  readonly requested: RequestedSubscription;
  readonly #limit: ContextLimit;
  readonly streams = new Set<Stream>();
  /** Subscribers whom only a stand-in for the primary knows so far. They get no answers. */
  readonly #unconfirmed = new Set<Stream>();
  readonly #deps: SubscriptionDeps;
  readonly #onConfirmed: () => void;
  readonly #onEnd: () => void;
  readonly #gone = new AbortController();

  constructor(
    deps: SubscriptionDeps,
    { limit, operation, requested, onConfirmed, onEnd }: SubscribersOptions,
  ) {
    this.#deps = deps;
    this.#onConfirmed = onConfirmed;
    this.#onEnd = onEnd;
    this.#limit = limit;
    this.operation = operation;
    this.requested = requested;
    this.followed = followedBy(requested);
  }

  /** Whether all subscribers have left: an answer that is being computed is then cancelled. */
  get areGone(): boolean {
    return this.#gone.signal.aborted;
  }

  add(stream: Stream, isConfirmed: boolean): void {
    this.streams.add(stream);
    if (!isConfirmed) this.#unconfirmed.add(stream);
  }

  /** Returns the subscribers who may get answers. */
  confirmed(): readonly Stream[] {
    return [...this.streams].filter((stream) => !this.#unconfirmed.has(stream));
  }

  /** Notes that the primary knows a subscriber and the grant. */
  confirm(stream: Stream): void {
    if (this.#unconfirmed.delete(stream)) this.#onConfirmed();
  }

  leave(stream: Stream): void {
    this.#unconfirmed.delete(stream);
    if (!this.streams.delete(stream) || this.streams.size > 0) return;
    this.#gone.abort(new CallerGone());
    this.#onEnd();
  }

  /** Ends the stream of a subscriber whose token was revoked. */
  signOut(stream: Stream): void {
    this.finish(stream, signedOutEvent());
  }

  /** Ends the stream of a subscriber who may no longer read the context. */
  refuse(stream: Stream): void {
    this.finish(stream, nullEvent(this.requested));
  }

  /** Whether these subscribers may see just that of the context. */
  isLimitedBy(limit: ContextLimit): boolean {
    return JSON.stringify(limit) === JSON.stringify(this.#limit);
  }

  /**
   * Ends the stream of a subscriber who may now see more or less of the context: whoever subscribes
   * again gets that.
   */
  complete(stream: Stream): void {
    this.finish(stream);
  }

  finish(stream: Stream, last: StreamEvent | null = null): void {
    stream.events.end(last);
    this.leave(stream);
  }

  /** Notes that the node that answers is away, and returns the error for its subscribers. */
  lose(cause: ServiceError): Piece {
    const node = this.followed.destinationNode ?? PRIMARY;
    const error = serviceError('unreachable', {}, { cause: cause.cause ?? cause, node });
    return this.#failureOf(error, this.#deps.service.log);
  }

  /**
   * Runs `work` on behalf of the first of these subscribers who may still ask. The node may lag
   * behind the grant of one and know others. Those that it refuses are asked last next time. The
   * time for them is limited: if the primary hangs, each takes seconds.
   */
  async ask<T>(
    among: Iterable<Stream>,
    work: (asking: Granted) => Promise<T>,
  ): Promise<Outcome<T>> {
    try {
      return await this.#deps.permits.run(() => this.#askAmong(among, work), this.#gone.signal);
    } catch (error) {
      if (this.areGone) return { kind: 'nobody' };
      throw error;
    }
  }

  async #askAmong<T>(
    among: Iterable<Stream>,
    work: (asking: Granted) => Promise<T>,
  ): Promise<Outcome<T>> {
    const until = performance.now() + REFUSALS_MS;
    const refused = new Map<string, Refused>();
    for (const stream of [...among]) {
      if (!this.streams.has(stream)) continue;
      const name = nameOf(stream);
      const known = refused.get(name);
      if (!known && performance.now() > until) break;
      const outcome = known ?? (await this.#askAs(stream, work));
      if (outcome?.kind === 'refused') {
        refused.set(name, outcome);
        this.#moveToEnd(stream);
      } else if (outcome) return outcome;
    }
    const [refusal] = refused.values();
    if (!refusal) return { kind: 'nobody' };
    this.#deps.service.metrics.error('notGrantedThere');
    return { kind: 'failed', json: refusal.json };
  }

  #moveToEnd(stream: Stream): void {
    if (this.streams.delete(stream)) this.streams.add(stream);
  }

  /** null: this subscriber may no longer ask, and the stream was ended. */
  async #askAs<T>(
    stream: Stream,
    work: (asking: Granted) => Promise<T>,
  ): Promise<Outcome<T> | Refused | null> {
    const { current, log } = stream.exchange;
    const request = {
      signal: this.#gone.signal,
      throttle: subscriberThrottle(this.followed),
      current,
      log,
    };
    const asker = { ...stream.subscriber, ...this.followed };
    let hasFailed = false;
    const onFailure = (cause: unknown) => {
      hasFailed = true;
      this.#logFailure(cause, log);
    };
    try {
      return await askOnce(this.#deps.service, { request, asker, onFailure }, async (asking) => {
        const { scope } = asking;
        const isByPrimary = signedIn(scope).nodeUrl === this.#deps.nodeAddresses.primaryUrl;
        if (isByPrimary) this.#deps.outages.answered({ node: PRIMARY });
        const granted = await grantFor(scope, this.followed.contextName, choiceOf(this.followed));
        if (granted && !this.isLimitedBy(granted.limit)) {
          this.complete(stream);
          return null;
        }
        if (granted) {
          this.confirm(stream);
          const made = await work({ ...asking, granted });
          const { destinationNode } = this.followed;
          if (destinationNode !== null && !hasFailed) {
            this.#deps.outages.answered(this.#outageOf(destinationNode));
          }
          return { kind: 'made', made };
        }
        if (!isByPrimary) throw outageRefusal(this.followed);
        this.refuse(stream);
        return null;
      });
    } catch (error) {
      if (this.areGone) return { kind: 'nobody' };
      if (isOf(error, 'invalidToken')) {
        this.signOut(stream);
        return null;
      }
      if (isOf(error, 'notGrantedThere')) {
        return { kind: 'refused', json: failureText(renderError(error)) };
      }
      return { kind: 'failed', json: this.#failureOf(error, log) };
    }
  }

  /** Counts and logs an error, and returns it for subscribers. */
  #failureOf(error: unknown, log: Logger): Piece {
    const rendered = renderError(error);
    this.#deps.service.metrics.error(errorKindOf(rendered));
    const cause = isUnreachable(error) ? error : causeOf(rendered);
    if (cause !== undefined) this.#logFailure(cause, log);
    return failureText(rendered);
  }

  /** Logs an outage only once, however many queries it concerns. */
  #logFailure(err: unknown, log: Logger): void {
    if (isUnreachable(err)) this.#deps.outages.failed(this.#outageOf(err.node ?? PRIMARY), err);
    else log.error({ err }, 'a subscription could not be answered');
  }

  /** Two contexts may have different nodes of the same name. */
  #outageOf(node: string): Outage {
    return node === PRIMARY ? { node } : { node, context: this.followed.contextName };
  }
}

const failureText = (error: GraphQLError): Piece => bodyOf({ data: null, errors: [error] });

const REFUSALS_MS = 10_000;

/** The same for all streams of one user with the same token, or in the same session. */
const nameOf = ({ subscriber: { claim } }: Stream): string => claimKey(claim);

const isUnreachable = (error: unknown): error is ServiceError => isOf(error, 'unreachable');

const isOf = (error: unknown, kind: ErrorKind): boolean =>
  error instanceof ServiceError && error.kind === kind;

type AskOptions = {
  /** What to look up and answer for. */
  readonly request: ScopeRequest;
  readonly asker: Asker;
  /** Called with each error inside an answer that concerns the operator. */
  readonly onFailure: (cause: unknown) => void;
};

/** A subscriber, and the node that answers the subscription. */
type Asker = Subscriber & Pick<Followed, 'contextName' | 'destinationNode'>;

/** A subscriber, looked up again for this answer. */
type Asking = {
  readonly scope: RequestScope;
  /** Runs an operation. */
  readonly make: (request: OperationRequest) => Promise<OperationResult>;
};

/**
 * Runs `work` with its own snapshot and loaders, on behalf of a subscriber, who is looked up again.
 * Errors: `invalidToken` if the token is no longer valid according to the primary; those of the
 * database.
 */
async function askOnce<T>(
  service: Service,
  { request, asker: { claim, ...followed }, onFailure }: AskOptions,
  work: (asking: Asking) => Promise<T>,
): Promise<T> {
  const seconds = service.settings.queryTimeoutSeconds;
  return withScope(service, request, seconds, async (anonymous) => {
    const fallbackNodes = anonymous.directory.allAfter(followed);
    const identity = await identifyBy(anonymous, { ...claim, slicesOf: null }, fallbackNodes);
    const scope = { ...anonymous, identity };
    const make = async (operation: OperationRequest): Promise<OperationResult> => {
      const result = await runOperation(scope, service.settings, operation);
      for (const cause of countErrors(service.metrics, { anonymous, exchange: request }, result)) {
        onFailure(cause);
      }
      return result;
    };
    return work({ scope, make });
  });
}

/** For a subscriber who may no longer read the context: the same as if it did not exist. */
const nullEvent = ({ responseKey }: RequestedSubscription): StreamEvent =>
  eventOf(bodyOf({ data: nullData(responseKey), errors: [] }));

/** Returns the data of an answer whose only field is null. */
export const nullData = (responseKey: string): string => JSON.stringify({ [responseKey]: null });

/** For a subscriber whose stream cannot continue. */
export const errorEvent = (error: ServiceError): StreamEvent =>
  eventOf(bodyOf({ data: null, errors: [renderError(error)] }));

/** For a subscriber whose token was revoked. */
const signedOutEvent = (): StreamEvent => errorEvent(serviceError('invalidToken'));

/** Codes of errors that may be gone when the same query is asked again. */
const PASSING: ReadonlySet<unknown> = new Set(['BACKEND', 'TIMEOUT', 'BUSY']);

export const hasPassingError = ({ errors }: OperationResult): boolean =>
  errors.some(({ extensions }) => PASSING.has(extensions['code']));
