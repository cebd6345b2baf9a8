import { builtModule } from '../systems/product.ts';
import type { BenchFlow } from '../traffic/flow-traffic.ts';

/** The parts of the product that a feed and merging are made of; check/ holds them to the sources. */

export type FeedTarget = {
  readonly databaseUrl: string;
  readonly reopen: () => Promise<string>;
  readonly source: string;
  readonly context: string;
  readonly format: 'zeek';
  readonly engine: number;
  readonly home: readonly string[];
  readonly probe: null;
  readonly places: null;
  readonly nowMs: () => number;
  readonly onWaiting: () => void;
};

export type FeedBatch<Flow> = {
  readonly number: number;
  readonly flows: readonly Flow[];
  readonly flowsSoFar: number;
  readonly newestUs: number;
};

export type CommitBatch<Flow> = (batch: FeedBatch<Flow>, signal: AbortSignal) => Promise<unknown>;

export type FeedModule<Flow> = {
  readonly createFeedCommitter: (target: FeedTarget) => CommitBatch<Flow>;
};

export type MergeTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

export type MergeVisit = {
  readonly outcome: 'done' | 'busy';
  readonly merges: number;
  readonly replaced: number;
  readonly bytes: number;
  readonly damaged: readonly string[];
};

export type VisitContext = (target: MergeTarget) => Promise<MergeVisit>;

export type Merger = { runOnce(): Promise<void>; stop(): Promise<void> };

export type MergingModules<Log> = {
  readonly keepMerged: (options: {
    readonly databaseUrl: string;
    readonly log: Log;
    readonly clock: () => number;
    readonly delays: null;
    readonly visit: VisitContext;
  }) => Merger;
  readonly visitHere: VisitContext;
};

export const feedModule = (): Promise<FeedModule<BenchFlow>> =>
  builtModule('ingest/feed/feed-batches.js');

export const keepMergedModule = (): Promise<Pick<MergingModules<object>, 'keepMerged'>> =>
  builtModule('server/merging/keep-merged.js');

export const visitModule = (): Promise<Pick<MergingModules<object>, 'visitHere'>> =>
  builtModule('server/merging/merge-visit.js');
