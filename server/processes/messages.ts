import type { FailedSignIns } from '../../db/sql/audit.ts';
import type { TokenUse } from '../../db/sql/tokens.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { NodeRow } from '../../resolvers/loaders/request-reads.ts';
import { NodeDirectory } from '../../resolvers/node-directory.ts';
import {
  type LoginChange,
  type LoginCounts,
  LoginFailures,
  loginLimits,
} from '../admission/login-failures.ts';
import type { ExplorerOptions } from '../pages/explorer.ts';
import type { Settings } from '../settings/settings.ts';

/** What a process is told to serve. Sent as a message, since the database URL has a password. */
export type Assignment = Share & {
  /** The number of the process, from 1. A process that replaces it gets the same number. */
  readonly number: number;
  readonly databaseUrl: string;
  readonly explorer: ExplorerOptions;
  /** Trusted documents by hash. */
  readonly documents: readonly (readonly [string, string])[];
  readonly knowledge: Knowledge;
};

/** What the other processes have found out so far. */
type Knowledge = {
  readonly logins: LoginCounts;
  readonly nodes: readonly (readonly [string, readonly NodeRow[]])[];
};

/** What one process has found out and all others must know. */
export type News =
  | { readonly of: 'logIn'; readonly change: LoginChange }
  | { readonly of: 'nodes'; readonly context: string; readonly rows: readonly NodeRow[] };

/** From the parent to a serving process. */
export type ToChild =
  /** The answer to `hello`. */
  | { readonly kind: 'start'; readonly assignment: Assignment }
  /** Another process has found this out. */
  | { readonly kind: 'news'; readonly news: News }
  /** How many processes serve now. */
  | { readonly kind: 'servingCount'; readonly serving: number }
  /** Answered by `pong`. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'tellMetrics' }
  /** The answer to `gatherMetrics`. */
  | { readonly kind: 'allMetrics'; readonly id: number; readonly text: string }
  /** The service ends: say so on /readyz, finish the requests in progress, and end. */
  | { readonly kind: 'end' };

/** From a serving process to the parent. */
export type FromChild =
  /** It listens for messages now: earlier ones are lost. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'serving'; readonly url: string }
  /** It cannot serve, and ends. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It alone was told to end: another process should replace it now. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'news'; readonly news: News }
  | { readonly kind: 'failedSignIns'; readonly failed: readonly FailedSignIns[] }
  | { readonly kind: 'tokenUses'; readonly uses: readonly TokenUse[] }
  | { readonly kind: 'metrics'; readonly metrics: readonly MetricValues[] }
  /** A client has asked this process for the metrics of all processes. */
  | { readonly kind: 'gatherMetrics'; readonly id: number };

/** A metric in the form that prom-client provides for sending it to another process. */
export type MetricValues = { readonly name: string; readonly type: string };

/**
 * What every process must know about failed log-ins and nodes, whichever process found it out. Each
 * process has its own copy; the parent keeps one for processes that start later.
 */
export class SharedKnowledge {
  readonly loginFailures: LoginFailures;
  readonly directory: NodeDirectory;

  /** tell: called with what this process has found out itself. */
  constructor(settings: Settings, tell: (news: News) => void = () => undefined) {
    this.loginFailures = new LoginFailures(loginLimits(settings), undefined, (change) =>
      tell({ of: 'logIn', change }),
    );
    this.directory = new NodeDirectory((context, rows) => tell({ of: 'nodes', context, rows }));
  }

  /** Applies what another process has found out. */
  hear(news: News): void {
    if (news.of === 'logIn') this.loginFailures.applyRemote(news.change);
    else this.directory.applyRemote(news.context, news.rows);
  }

  all(): Knowledge {
    return { logins: this.loginFailures.counts(), nodes: this.directory.entries() };
  }

  take({ logins, nodes }: Knowledge): void {
    this.loginFailures.take(logins);
    for (const [context, rows] of nodes) this.directory.applyRemote(context, rows);
  }
}

/** What one of several processes may use. */
type Share = {
  readonly settings: Settings;
  /** Connections for reading to each database node. */
  readonly poolConnections: number;
};

/**
 * The share of the process with this number, from 1. All shares add up to what a single process
 * would have, except where a share would be zero: each process has at least one thread, one
 * concurrent request, and so on. Limits on time and on single requests are not divided.
 */
export function shareOf(number: number, settings: Settings): Share {
  const { processes } = settings;
  const part = (all: number, least: number): number => {
    const remainder = number <= all % processes ? 1 : 0;
    return Math.max(least, Math.floor(all / processes) + remainder);
  };
  return {
    settings: {
      ...settings,
      workers: part(settings.workers, 1),
      workerQueue: part(settings.workerQueue, Math.min(1, settings.workerQueue)),
      blockCacheBytes: part(settings.blockCacheBytes, 0),
      answerCacheBytes: part(settings.answerCacheBytes, 0),
      responseCacheBytes: part(settings.responseCacheBytes, 0),
      maxConcurrent: part(settings.maxConcurrent, 1),
      maxConnections: part(settings.maxConnections, 1),
      maxStreams: part(settings.maxStreams, Math.min(1, settings.maxStreams)),
      maxStreamsPerUser: part(settings.maxStreamsPerUser, 1),
      maxConnectionsPerAddress: part(settings.maxConnectionsPerAddress, 1),
    },
    poolConnections: part(LIMITS.poolConnections, LIMITS.poolConnectionsLeast),
  };
}
