import type { NodePools } from '../../db/node-pools.ts';
import { selectContextExists } from '../../db/queries/select-context-exists.ts';
import { type IdentityRow, selectIdentity } from '../../db/queries/select-identity.ts';
import { ReadSession, type TimeBound } from '../../db/read-session.ts';
import { createNodeLoaders, type NodeLoaders } from './node-loaders.ts';

export type { IdentityRow, NodeRow } from '../../db/queries/select-identity.ts';
export type { TimeBound } from '../../db/read-session.ts';

export type RequestReadsOptions = {
  pools: NodePools;
  /** Seconds that the request's database work may take in all; null waits without limit. */
  timeoutSeconds: number | null;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
};

/** Everything one request reads: a session, a snapshot and loaders for each node it touches. */
export class RequestReads {
  readonly #options: RequestReadsOptions;
  readonly #startedAt = performance.now();
  readonly #sessions = new Map<string, ReadSession>();
  readonly #loaders = new Map<string, NodeLoaders>();

  constructor(options: RequestReadsOptions) {
    this.#options = options;
  }

  get primaryUrl(): string {
    return this.#options.pools.primaryUrl;
  }

  /** The bound of work that may go on until `seconds` after the request's start. */
  bound(seconds: number): TimeBound {
    return { seconds, until: this.#startedAt + seconds * 1000 };
  }

  at(nodeUrl: string): NodeLoaders {
    const known = this.#loaders.get(nodeUrl);
    if (known) return known;
    const loaders = createNodeLoaders(this.#session(nodeUrl));
    this.#loaders.set(nodeUrl, loaders);
    return loaders;
  }

  /** The bound of work that may take `seconds` from now on. */
  boundFromNow(seconds: number): TimeBound {
    return { seconds, until: performance.now() + seconds * 1000 };
  }

  /** The user and their grants as this node has them. */
  identity(
    nodeUrl: string,
    username: string,
    bound: TimeBound | null,
  ): Promise<IdentityRow | null> {
    return selectIdentity(this.#session(nodeUrl), username, bound);
  }

  contextExists(nodeUrl: string, name: string): Promise<boolean> {
    return selectContextExists(this.#session(nodeUrl), name);
  }

  /** Gives the connections back. Call it when the answer was made, whatever it is. */
  async end(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.end()));
  }

  #session(url: string): ReadSession {
    const known = this.#sessions.get(url);
    if (known) return known;
    const { pools, timeoutSeconds, signal } = this.#options;
    const session = new ReadSession({
      pool: pools.at(url),
      onStatement: pools.onStatement,
      bound: timeoutSeconds === null ? null : this.bound(timeoutSeconds),
      signal,
    });
    this.#sessions.set(url, session);
    return session;
  }
}
