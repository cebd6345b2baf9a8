import { setImmediate as nextTurn } from 'node:timers/promises';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT } from '../systems/declaration.ts';
import type { BenchFlow } from '../traffic/flow-traffic.ts';
import { BUCKET_SECONDS } from '../traffic/traffic.ts';
import { feedModule } from './product-parts.ts';

/** Commits the flows of a minute. Minutes count from 0. */
export type CommitMinute = (minute: number, flows: readonly BenchFlow[]) => Promise<void>;

export type CommitterOptions = {
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

/** Opens the committer of `import --follow`, without the part that reads lines. */
export async function openCommitter(options: CommitterOptions): Promise<CommitMinute> {
  const { databaseUrl, nowMs, start } = options;
  const { createFeedCommitter } = await feedModule();
  const commit = createFeedCommitter({
    databaseUrl,
    reopen: async () => databaseUrl,
    source: 'bench',
    context: CONTEXT,
    format: 'zeek',
    engine: 0,
    home: [],
    probe: null,
    places: null,
    nowMs,
    onWaiting: () => showProgress('a commit waits for another import'),
  });
  const { signal } = new AbortController();
  let flowsSoFar = 0;
  return async (minute, flows) => {
    flowsSoFar += flows.length;
    const newestUs = (start + (minute + 1) * BUCKET_SECONDS) * 1e6;
    const batch = { number: minute + 1, flows, flowsSoFar, newestUs, losses: NO_LOSSES };
    await commit(batch, signal);
    await nextTurn();
  };
}
