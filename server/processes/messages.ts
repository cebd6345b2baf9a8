import type { FailedSignIns } from '../../db/sql/audit.ts';
import type { NodeRow } from '../../resolvers/loaders/request-reads.ts';
import type { LogInChange, LogInCounts } from '../admission/log-in-failures.ts';
import type { ExplorerOptions } from '../pages/explorer.ts';
import type { Share } from './divide-settings.ts';

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
export type Knowledge = {
  readonly logIns: LogInCounts;
  readonly nodes: readonly (readonly [string, readonly NodeRow[]])[];
};

/** What one process has found out and all others must know. */
export type News =
  | { readonly of: 'logIn'; readonly change: LogInChange }
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
  | { readonly kind: 'metrics'; readonly metrics: readonly MetricValues[] }
  /** A client has asked this process for the metrics of all processes. */
  | { readonly kind: 'gatherMetrics'; readonly id: number };

/** A metric in the form that prom-client provides for sending it to another process. */
export type MetricValues = { readonly name: string; readonly type: string };
