import { groupBy } from '../../domain/toppers/group-by.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import type { OpenedSubscription } from '../graphql/graphql-scope.ts';
import { bodyOf } from '../graphql/render-result.ts';
import type { FollowedOptions, Followers } from './followers.ts';
import { errorEvent } from './last-events.ts';
import type { LiveParts } from './live-parts.ts';
import type { MessageSource } from './message-source.ts';
import type { Pace } from './pace.ts';
import { pacedFollowers } from './paced-followers.ts';
import { hasPassingError } from './passing-errors.ts';
import { eventOf } from './streams/event-stream.ts';
import type { Stream } from './streams/stream.ts';

/**
 * A subscription that any number of streams share, and whose messages do not replace each other.
 * The database keeps the messages. Each stream has a cursor up to which messages were sent to it,
 * and streams with the same cursor share computing and rendering. A slow reader keeps its cursor,
 * and gets the rest when it has read what was sent before.
 */
export class FollowedMessages {
  readonly followers: Followers;
  readonly #parts: LiveParts;
  readonly #source: MessageSource;
  readonly #pace: Pace;
  readonly #cursors = new Map<Stream, string | null>();
  /** The context that is watched; null: none yet. */
  #contextId: number | null = null;
  #unwatch: (() => void) | null = null;

  constructor(parts: LiveParts, source: MessageSource, options: FollowedOptions) {
    this.#parts = parts;
    this.#source = source;
    const { followers, pace } = pacedFollowers(parts, options, {
      ask: () => this.#ask(),
      unwatch: () => this.#unwatch?.(),
    });
    this.followers = followers;
    this.#pace = pace;
  }

  join(stream: Stream, { granted, isConfirmed }: OpenedSubscription): void {
    // A stand-in may have another id for the context.
    if (isConfirmed) this.#watch(granted);
    this.followers.add(stream, isConfirmed);
    this.#cursors.set(stream, null);
    stream.exchange.response.on('drain', () => this.#pace.due());
    stream.exchange.response.once('close', () => this.#cursors.delete(stream));
    this.#pace.now();
  }

  #watch({ contextId }: GrantedContext): void {
    if (contextId === this.#contextId) return;
    this.#contextId = contextId;
    this.#unwatch?.();
    this.#unwatch = this.#parts.watch.watchAlerts(contextId, (newest) => this.#noticed(newest));
  }

  /** Compares every cursor: after a restore, the newest change may be one from long ago. */
  #noticed(newest: string | null): void {
    const isTold = [...this.#cursors.values()].every((cursor) => cursor === newest);
    if (newest === null || !isTold) this.#pace.due();
  }

  async #ask(): Promise<boolean> {
    this.#pace.begins();
    const ready = this.followers.confirmed().filter(({ events }) => events.isReady);
    const groups = groupBy(ready, (stream) => this.#cursors.get(stream) ?? null);
    let hasFailed = false;
    for (const [cursor, streams] of groups) {
      if (!(await this.#tell(cursor, streams))) hasFailed = true;
    }
    return !hasFailed;
  }

  /** Sends the messages after a cursor. False: it failed, and nothing was sent. */
  async #tell(after: string | null, streams: readonly Stream[]): Promise<boolean> {
    const { followed, operation } = this.followers;
    const outcome = await this.followers.ask(streams, async ({ scope, granted, make }) => {
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
      for (const stream of streams) this.followers.finish(stream, last);
      return true;
    }
    const { cursor, hasMore, made } = outcome.made;
    if (made.some(hasPassingError)) return false;
    if (hasMore) this.#pace.due();
    if (made.length > 0) this.#parts.onComputed();
    const events = made.map((result) => eventOf(bodyOf(result)));
    for (const stream of streams) {
      if (!this.followers.streams.has(stream)) continue;
      this.#cursors.set(stream, cursor);
      for (const event of events) stream.events.send(event);
      // Often nothing is firing: then only this shows that no later message will be missed.
      if (after === null) stream.events.comment('following');
    }
    return true;
  }
}
