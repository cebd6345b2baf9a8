import { Listener } from '../../db/listener.ts';
import type { NodePools } from '../../db/session/node-pools.ts';
import { type Deadline, ReadSession } from '../../db/session/read-session.ts';
import { selectWatchedAlerts, selectWatchedVersions } from '../../db/sql/subscriptions.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import { chooseNode, urlOf } from '../../resolvers/nodes.ts';
import type { Followed } from '../graphql/open-subscriptions.ts';
import type { Logger } from '../telemetry/log.ts';

/** A context on a node. */
export type Watched = { readonly nodeUrl: string; readonly contextId: number };

type Watcher = {
  /** versions: the current ones; null: they have changed, but were not read. */
  readonly onVersions: (versions: VersionedRow | null) => void;
  /**
   * Called with each poll that a node other than the primary does not answer. The primary may have
   * commits that nobody can see there.
   */
  readonly onAway: (cause: ServiceError) => void;
};

type VersionWatchOptions = {
  readonly pools: NodePools;
  readonly log: Logger;
  /** How often versions are polled where there are no notifications. */
  readonly everyMs?: number;
};

/** newest: number and nonce of the newest change; null: there are new ones, but none was read. */
type OnAlerts = (newest: string | null) => void;

const VERSIONS = 'countergraph_versions';
const ALERTS = 'countergraph_alerts';

/**
 * Reports changes of contexts. The primary sends NOTIFY. On standbys, behind a pooler in
 * transaction mode, and while the listening connection is lost, the versions are polled. There is a
 * connection only while something is watched.
 */
export class VersionWatch {
  readonly #options: VersionWatchOptions;
  readonly #nodes = new Map<string, Map<number, Set<Watcher>>>();
  /** By context. Alerts are always read on the primary. */
  readonly #alerts = new Map<number, Set<OnAlerts>>();
  #listener: Listener | null = null;
  #timer: NodeJS.Timeout | null = null;
  #polls = 0;
  /** The nodes, and `ALERTS` for the alerts, whose polls are in progress. */
  readonly #asking = new Set<string>();
  #stopping: Promise<void> = Promise.resolve();

  constructor(options: VersionWatchOptions) {
    this.#options = options;
  }

  /** Returns a function that ends the watch. */
  watch({ nodeUrl, contextId }: Watched, watcher: Watcher): () => void {
    const node = this.#nodes.get(nodeUrl) ?? new Map<number, Set<Watcher>>();
    this.#nodes.set(nodeUrl, node);
    const watchers = node.get(contextId) ?? new Set<Watcher>();
    node.set(contextId, watchers);
    watchers.add(watcher);
    this.#start();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && node.get(contextId) === watchers) node.delete(contextId);
      if (node.size === 0 && this.#nodes.get(nodeUrl) === node) this.#nodes.delete(nodeUrl);
      this.#stopIfUnwanted();
    };
  }

  /** Reports that alerts may have begun or ended. Returns a function that ends the watch. */
  watchAlerts(contextId: number, onAlerts: OnAlerts): () => void {
    const watchers = this.#alerts.get(contextId) ?? new Set<OnAlerts>();
    this.#alerts.set(contextId, watchers);
    watchers.add(onAlerts);
    this.#start();
    return () => {
      watchers.delete(onAlerts);
      if (watchers.size === 0 && this.#alerts.get(contextId) === watchers)
        this.#alerts.delete(contextId);
      this.#stopIfUnwanted();
    };
  }

  /** Resolves once the connection is closed, after the last watch has ended. */
  async ended(): Promise<void> {
    await this.#stopping;
  }

  #start(): void {
    const { pools, log, everyMs = LIMITS.versionPollMs } = this.#options;
    this.#timer ??= setInterval(() => this.#poll(), everyMs).unref();
    this.#listener ??= new Listener({
      url: pools.primaryUrl,
      channels: [VERSIONS, ALERTS],
      onNotice: (channel, payload) => this.#noticed(channel, Number(payload)),
      onListening: () => this.#pollPrimary(),
      onLost: (err) =>
        log.warn({ err }, 'the connection that listens for commits was lost: versions are polled'),
    });
  }

  #stopIfUnwanted(): void {
    if (this.#nodes.size > 0 || this.#alerts.size > 0) return;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    const stopped = this.#listener?.stop();
    this.#listener = null;
    this.#stopping = Promise.all([this.#stopping, stopped]).then(() => undefined);
  }

  #poll(): void {
    this.#polls += 1;
    const { primaryUrl } = this.#options.pools;
    // A connection may be lost without either side noticing.
    const isNotified =
      this.#listener?.isListening === true && this.#polls % LIMITS.versionPollsSkipped !== 0;
    for (const nodeUrl of this.#nodes.keys()) if (nodeUrl !== primaryUrl) this.#pollNode(nodeUrl);
    if (!isNotified) this.#pollPrimary();
  }

  #pollPrimary(): void {
    this.#pollNode(this.#options.pools.primaryUrl);
    this.#pollAlerts();
  }

  #noticed(channel: string, contextId: number): void {
    if (channel === VERSIONS) this.#report(this.#options.pools.primaryUrl, contextId, null);
    else this.#reportAlerts(contextId, null);
  }

  #reportAlerts(contextId: number, newest: string | null): void {
    for (const tell of [...(this.#alerts.get(contextId) ?? [])]) tell(newest);
  }

  #pollAlerts(): void {
    const contextIds = [...this.#alerts.keys()];
    const { pools, log } = this.#options;
    if (contextIds.length === 0 || this.#asking.has(ALERTS)) return;
    this.#asking.add(ALERTS);
    askNode(pools, pools.primaryUrl, (session, deadline) =>
      selectWatchedAlerts(session, contextIds, deadline),
    )
      .then(
        (rows) => {
          for (const { contextId, newest } of rows) this.#reportAlerts(contextId, newest);
        },
        (err) => log.debug({ err }, 'the alerts of watched contexts could not be polled'),
      )
      .finally(() => this.#asking.delete(ALERTS));
  }

  #pollNode(nodeUrl: string): void {
    const contextIds = [...(this.#nodes.get(nodeUrl)?.keys() ?? [])];
    if (contextIds.length === 0 || this.#asking.has(nodeUrl)) return;
    const { pools, log } = this.#options;
    this.#asking.add(nodeUrl);
    askNode(pools, nodeUrl, (session, deadline) =>
      selectWatchedVersions(session, contextIds, deadline),
    )
      .then(
        (rows) => {
          for (const row of rows) this.#report(nodeUrl, row.contextId, row);
        },
        (err) => {
          log.debug({ err }, 'the versions of watched contexts could not be read');
          if (isAway(err) && nodeUrl !== pools.primaryUrl) this.#reportAway(nodeUrl, err);
        },
      )
      .finally(() => this.#asking.delete(nodeUrl));
  }

  #report(nodeUrl: string, contextId: number, versions: VersionedRow | null): void {
    const watchers = [...(this.#nodes.get(nodeUrl)?.get(contextId) ?? [])];
    for (const { onVersions } of watchers) onVersions(versions);
  }

  #reportAway(nodeUrl: string, cause: ServiceError): void {
    const watchers = [...(this.#nodes.get(nodeUrl)?.values() ?? [])].flatMap((of) => [...of]);
    for (const { onAway } of watchers) onAway(cause);
  }
}

/** Returns the context and node to watch; null: there is no such node. */
export function watchedNode(
  { destinationNode }: Followed,
  context: GrantedContext,
  { primaryUrl, variable }: NodeAddresses,
): Watched | null {
  const { contextId } = context;
  try {
    const node = chooseNode(context, { destinationNode, fromDr: false });
    const nodeUrl = node ? urlOf(node, variable) : primaryUrl;
    return nodeUrl === null ? null : { nodeUrl, contextId };
  } catch {
    // There is no such node: the answer contains the error.
    return null;
  }
}

export type NodeAddresses = {
  readonly primaryUrl: string;
  readonly variable: (name: string) => string | undefined;
};

/** Runs one statement outside any request, on a connection that is released right after it. */
export async function askNode<T>(
  pools: NodePools,
  url: string,
  ask: (session: ReadSession, deadline: Deadline) => Promise<T>,
): Promise<T> {
  const session = new ReadSession({
    pool: pools.at(url),
    onStatement: pools.onStatement,
    onWork: pools.onWork,
    deadline: null,
    signal: NEVER,
    mayReadAlone: true,
  });
  const until = performance.now() + LIMITS.connectTimeoutMs;
  try {
    return await ask(session, { seconds: LIMITS.connectTimeoutMs / 1000, until });
  } finally {
    await session.end();
  }
}

/** Kinds of errors of a node that is away or does not answer. */
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'timeout']);

/** Whether `askNode` failed because the node is away or does not answer. */
export const isAway = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && AWAY.has(error.kind);

const NEVER = new AbortController().signal;
