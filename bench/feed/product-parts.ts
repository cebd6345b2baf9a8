import { builtModule, type Product } from '../systems/product.ts';
import type { BenchFlow } from '../traffic/flow-traffic.ts';

/** The parts of the product that commit a feed. check/ compares these types with the sources. */

export type FeedTarget = {
  readonly databaseUrl: string;
  readonly reopen: () => Promise<string>;
  readonly source: string;
  readonly context: string;
  readonly format: 'zeek';
  readonly engine: number;
  readonly home: readonly string[];
  readonly probe: null;
  readonly geo: null;
  readonly nowMs: () => number;
  readonly onWaiting: () => void;
  readonly exporters: () => readonly [];
  readonly silentMs: () => number;
  readonly place: FeedPlace;
};

/** Where only one feed may be. */
export type FeedPlace = {
  readonly take: () => Promise<void>;
  readonly leave: () => Promise<void>;
};

export type FeedBatch<Flow> = {
  readonly number: number;
  readonly flows: readonly Flow[];
  readonly flowsSoFar: number;
  readonly newestUs: number;
  readonly losses: Readonly<Record<'refusedLines' | 'leftOutFlows' | LostUnit, number>>;
  readonly state: {
    readonly waitingFlows: number;
    readonly readUs: number;
    readonly isLast: boolean;
  };
};

type LostUnit = 'lostFlows' | 'lostPackets' | 'lostDatagrams';

export type CommitBatch<Flow> = (batch: FeedBatch<Flow>, signal: AbortSignal) => Promise<unknown>;

export type FeedModule<Flow> = {
  readonly createFeedCommitter: (target: FeedTarget) => CommitBatch<Flow>;
};

export const feedModule = (product: Product): Promise<FeedModule<BenchFlow>> =>
  builtModule('ingest/feed/feed-batches.js', product);
