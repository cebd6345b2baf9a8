import { setImmediate as nextTurn } from 'node:timers/promises';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT } from '../systems/declaration.ts';
import type { Product } from '../systems/product.ts';
import type { BenchFlow } from '../traffic/flow-traffic.ts';
import { BUCKET_SECONDS } from '../traffic/traffic.ts';
import { type FeedPlace, feedModule } from './product-parts.ts';

/** Commits the flows of a minute. Minutes count from 0. */
export type CommitMinute = (minute: number, flows: readonly BenchFlow[]) => Promise<void>;

export type CommitterOptions = {
  readonly product: Product;
  readonly databaseUrl: string;
  readonly nowMs: () => number;
  /** Epoch seconds at which minute 0 begins. */
  readonly start: number;
};

const NO_LOSSES = {
  refusedLines: 0,
  leftOutFlows: 0,
  lostFlows: 0,
  lostPackets: 0,
  lostDatagrams: 0,
};

/** There is no other feed to wait for. */
const ONLY_FEED: FeedPlace = { take: async () => {}, leave: async () => {} };

/** Opens the committer of `import --follow`, without the part that reads lines. */
export async function openCommitter(options: CommitterOptions): Promise<CommitMinute> {
  const { product, databaseUrl, nowMs, start } = options;
  const { createFeedCommitter } = await feedModule(product);
  const commit = createFeedCommitter({
    databaseUrl,
    reopen: async () => databaseUrl,
    source: 'bench',
    context: CONTEXT,
    format: 'zeek',
    engine: 0,
    home: [],
    probe: null,
    geo: null,
    nowMs,
    onWaiting: () => showProgress('a commit waits for another import'),
    exporters: () => [],
    silentMs: () => 0,
    place: ONLY_FEED,
  });
  const { signal } = new AbortController();
  let flowsSoFar = 0;
  return async (minute, flows) => {
    flowsSoFar += flows.length;
    const newestUs = (start + (minute + 1) * BUCKET_SECONDS) * 1e6;
    const state = { waitingFlows: 0, readUs: newestUs, isLast: false };
    const batch = { number: minute + 1, flows, flowsSoFar, newestUs, losses: NO_LOSSES, state };
    await commit(batch, signal);
    await nextTurn();
  };
}
