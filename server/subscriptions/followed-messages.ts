import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/group-by.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type ChangeCursor, changesSince, firingNow } from '../../resolvers/alerts/alerts.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import { findContext } from '../../resolvers/contexts.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { OpenedSubscription } from '../graphql/graphql-scope.ts';
import { bodyOf } from '../graphql/render-result.ts';
import type { SubscriptionDeps } from './deps.ts';
import { eventOf, type Stream } from './event-stream.ts';
import { type Pace, pacedSubscribers } from './pace.ts';
import {
  errorEvent,
  type FollowedOptions,
  hasPassingError,
  type Subscribers,
} from './subscribers.ts';

/**
 * A subscription that any number of streams share, and whose messages do not replace each other.
 * The database keeps the messages. Each stream has a cursor up to which messages were sent to it,
 * and streams with the same cursor share computing and rendering. A slow reader keeps its cursor,
 * and gets the rest when it has read what was sent before.
 */
export class FollowedMessages {
  readonly subscribers: Subscribers;
  readonly #deps: SubscriptionDeps;
  readonly #source: MessageSource;
  readonly #pace: Pace;
  readonly #cursors = new Map<Stream, string | null>();
  /** The context that is watched; null: none yet. */
  #contextId: number | null = null;
  #unwatch: (() => void) | null = null;

  constructor(deps: SubscriptionDeps, source: MessageSource, options: FollowedOptions) {
    this.#deps = deps;
    this.#source = source;
    const { subscribers, pace } = pacedSubscribers(deps, options, {
      ask: () => this.#ask(),
      unwatch: () => this.#unwatch?.(),
    });
    this.subscribers = subscribers;
    this.#pace = pace;
  }

  join(stream: Stream, { granted, isConfirmed }: OpenedSubscription): void {
    // A stand-in may have another id for the context.
    if (isConfirmed) this.#watch(granted);
    this.subscribers.add(stream, isConfirmed);
    this.#cursors.set(stream, null);
    stream.exchange.response.on('drain', () => this.#pace.due());
    stream.exchange.response.once('close', () => this.#cursors.delete(stream));
    this.#pace.now();
  }

  #watch({ contextId }: GrantedContext): void {
    if (contextId === this.#contextId) return;
    this.#contextId = contextId;
    this.#unwatch?.();
    this.#unwatch = this.#deps.watch.watchAlerts(contextId, (newest) => this.#noticed(newest));
  }

  /** Compares every cursor: after a restore, the newest change may be one from long ago. */
  #noticed(newest: string | null): void {
    const isTold = [...this.#cursors.values()].every((cursor) => cursor === newest);
    if (newest === null || !isTold) this.#pace.due();
  }

  async #ask(): Promise<boolean> {
    this.#pace.begins();
    const ready = this.subscribers.confirmed().filter(({ events }) => events.isReady);
    const groups = groupBy(ready, (stream) => this.#cursors.get(stream) ?? null);
    let hasFailed = false;
    for (const [cursor, streams] of groups) {
      if (!(await this.#tell(cursor, streams))) hasFailed = true;
    }
    return !hasFailed;
  }

  /** Sends the messages after a cursor. False: it failed, and nothing was sent. */
  async #tell(after: string | null, streams: readonly Stream[]): Promise<boolean> {
    const { followed, operation } = this.subscribers;
    const outcome = await this.subscribers.ask(streams, async ({ scope, granted, make }) => {
      this.#watch(granted);
      const messages = await this.#source(scope, followed.contextName, after);
      if ('over' in messages) return messages;
      const { cursor, roots, hasMore } = messages;
      const made = await Promise.all(roots.map((rootValue) => make({ ...operation, rootValue })));
      return { cursor, hasMore, made };
    });
    if (outcome.kind !== 'made') return outcome.kind === 'nobody';
    if ('over' in outcome.made) {
      const last = errorEvent(outcome.made.over);
      for (const stream of streams) this.subscribers.finish(stream, last);
      return true;
    }
    const { cursor, hasMore, made } = outcome.made;
    if (made.some(hasPassingError)) return false;
    if (hasMore) this.#pace.due();
    if (made.length > 0) this.#deps.onComputed();
    const events = made.map((result) => eventOf(bodyOf(result)));
    for (const stream of streams) {
      if (!this.subscribers.streams.has(stream)) continue;
      this.#cursors.set(stream, cursor);
      for (const event of events) stream.events.send(event);
      // Often nothing is firing: then only this shows that no later message will be missed.
      if (after === null) stream.events.comment('following');
    }
    return true;
  }
}

/** Messages in order, each the source of the subscription's field, and the cursor after them. */
type Messages = {
  readonly cursor: string;
  readonly roots: readonly unknown[];
  /** Whether more messages follow already. */
  readonly hasMore: boolean;
};

/** The cursor cannot be continued; its streams end with this error. */
type MessagesOver = { readonly over: ServiceError };

/**
 * Reads the messages of a context after a cursor; null: the first messages of a new stream. They
 * are sent once to each stream with that cursor.
 */
export type MessageSource = (
  scope: RequestScope,
  contextName: string,
  after: string | null,
) => Promise<Messages | MessagesOver>;

/** Returns the messages of `alertEvents`: first what is firing, then each beginning and end. */
export const alertMessages: MessageSource = async (scope, contextName, after) => {
  const at = await findContext(scope, contextName);
  // `Subscribers` asks only on behalf of subscribers who may read the context.
  if (!at) throw new Error('the context of the alerts is not granted');
  const found = after === null ? await firingNow(at) : await changesSince(at, placeIn(after));
  switch (found.kind) {
    case 'changes':
      return { cursor: cursorOf(found.place), roots: found.events, hasMore: found.hasMore };
    case 'missed':
      return { over: serviceError('alertsMissed') };
    case 'behind':
      return { over: serviceError('tooFarBehind', { limit: LIMITS.alertChangesBehind }) };
    default:
      return found satisfies never;
  }
};

/** Formats a cursor as `select-watched-alerts.ts` returns it. */
const cursorOf = ({ number, nonce }: ChangeCursor): string => `${number} ${nonce}`;

function placeIn(cursor: string): ChangeCursor {
  const [number = '', nonce = ''] = cursor.split(' ');
  return { number: Number(number), nonce };
}
