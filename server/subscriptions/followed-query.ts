import type { VersionedRow } from '../../db/sql/versions.ts';
import type { ServiceError } from '../../domain/errors.ts';
import type { Piece } from '../../domain/text/long-text.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';
import type { OpenedSubscription } from '../graphql/graphql-scope.ts';
import { bodyOf } from '../graphql/render-result.ts';
import type { OperationResult } from '../graphql/run-operation.ts';
import type { SubscriptionDeps } from './deps.ts';
import { eventOf, type Stream, type StreamEvent } from './event-stream.ts';
import { type Pace, pacedSubscribers } from './pace.ts';
import {
  type FollowedOptions,
  type Granted,
  hasPassingError,
  nullData,
  type Subscribers,
} from './subscribers.ts';
import { type Watched, watchedNode } from './version-watch.ts';

/**
 * A subscription that any number of streams share. After each commit that may change its answer,
 * the answer is computed once and rendered once.
 */
export class FollowedQuery {
  readonly subscribers: Subscribers;
  readonly #deps: SubscriptionDeps;
  readonly #pace: Pace;
  /** The newest answer; null: there is none yet. */
  #answer: StreamEvent | null = null;
  /** Whether the newest answer is an error that a later one may replace. */
  #hasFailed = false;
  /** The versions that the answer was computed from; null: unknown. */
  #versions: VersionedRow | null = null;
  /** The versions at which a standby was last seen. */
  #seen: VersionedRow | null = null;
  #place: Watched | null = null;
  #unwatch: (() => void) | null = null;

  constructor(deps: SubscriptionDeps, options: FollowedOptions) {
    this.#deps = deps;
    const { subscribers, pace } = pacedSubscribers(deps, options, {
      ask: () => this.#ask(),
      unwatch: () => this.#unwatch?.(),
    });
    this.subscribers = subscribers;
    this.#pace = pace;
  }

  join(stream: Stream, { granted, isConfirmed, versions }: OpenedSubscription): void {
    this.subscribers.add(stream, isConfirmed);
    // A stand-in may have another id for the context.
    if (isConfirmed) this.#watchWhere(granted);
    const isCurrent = this.#isOnPrimary ? this.#isOf(versions) : !this.#pace.isDue;
    if (this.#answer && isCurrent && isConfirmed) stream.events.offer(this.#answer);
    // An answer that is being computed is for this stream, too: later commits are noticed.
    else if (!this.#pace.isAsking) this.#pace.now();
  }

  get #isOnPrimary(): boolean {
    return this.#place?.nodeUrl === this.#deps.nodeAddresses.primaryUrl;
  }

  /** Watches the node of the answer. Its address may change while it is followed. */
  #watchWhere(granted: GrantedContext): void {
    const place = watchedNode(this.subscribers.followed, granted, this.#deps.nodeAddresses);
    const { nodeUrl, contextId } = this.#place ?? {};
    if (!place || (place.nodeUrl === nodeUrl && place.contextId === contextId)) return;
    this.#unwatch?.();
    this.#place = place;
    this.#versions = null;
    this.#seen = null;
    this.#unwatch = this.#deps.watch.watch(place, {
      onVersions: (versions) => this.#noticed(versions),
      onAway: (cause) => this.#lost(cause),
    });
  }

  #noticed(versions: VersionedRow | null): void {
    if (this.#isOf(versions)) return;
    this.#seen = versions;
    this.#pace.due();
  }

  /**
   * Says once that the node is away: what was sent may be old. The next poll that the node answers
   * makes the query due.
   */
  #lost(cause: ServiceError): void {
    if (this.#answer && !this.#hasFailed) this.#fail(this.subscribers.lose(cause));
  }

  #fail(json: Piece): void {
    this.#hasFailed = true;
    this.#versions = null;
    const event = this.#answerOf(json);
    for (const stream of this.subscribers.streams) stream.events.offer(event);
  }

  /** No version says whether what callers are told of their own is the same. */
  #isOf(versions: VersionedRow | null): boolean {
    if (this.subscribers.requested.isPersonal) return false;
    return versions !== null && this.#versions !== null && areSame(versions, this.#versions);
  }

  async #ask(): Promise<boolean> {
    const outcome = await this.subscribers.ask(this.subscribers.streams, (asking) =>
      this.#make(asking),
    );
    if (outcome.kind === 'nobody') return true;
    if (outcome.kind === 'failed') {
      this.#fail(outcome.json);
      return false;
    }
    const { made, versions } = outcome.made;
    if (!made) {
      if (this.#answer) this.#tell(this.#answer);
      return true;
    }
    this.#deps.onComputed();
    const hasFailed = hasPassingError(made);
    this.#hasFailed = hasFailed;
    this.#versions = hasFailed ? null : versions;
    const event = this.#answerOf(bodyOf(made));
    const isOver = !hasFailed && isEmpty(made, this.subscribers.requested);
    if (!isOver) this.#tell(event);
    else for (const stream of this.subscribers.confirmed()) this.subscribers.finish(stream, event);
    return !hasFailed;
  }

  /** Computes the answer. made: null if the last answer is still current. */
  async #make({ scope, granted, make }: Granted) {
    this.#pace.begins();
    this.#watchWhere(granted);
    const { contextId = 0 } = this.#place ?? {};
    const versions = this.#isOnPrimary ? scope.reads.grantedAt(contextId) : this.#seen;
    const made = this.#isOf(versions) ? null : await make(this.subscribers.operation);
    return { made, versions };
  }

  /** Returns the same event as before if the answer is the same, so that it is not sent twice. */
  #answerOf(json: Piece): StreamEvent {
    const event = eventOf(json);
    if (!this.#answer?.bytes.equals(event.bytes)) this.#answer = event;
    return this.#answer;
  }

  #tell(event: StreamEvent): void {
    for (const stream of this.subscribers.confirmed()) stream.events.offer(event);
  }
}

/** Whether the subscribed object does not exist, or is not granted. */
const isEmpty = ({ data }: OperationResult, { responseKey }: RequestedSubscription): boolean =>
  data === null || data === 'null' || data === nullData(responseKey);

const areSame = (a: VersionedRow, b: VersionedRow): boolean =>
  a.version === b.version &&
  a.textVersion === b.textVersion &&
  a.nonce === b.nonce &&
  a.textNonce === b.textNonce;
