import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeedLossCounts } from '../../db/write/feeds/feed-losses.ts';
import { selectFeedCommits } from '../../db/write/feeds/select-feed-commits.ts';
import { upsertFeed } from '../../db/write/feeds/upsert-feed.ts';
import { selectContext } from '../../db/write/select-context.ts';
import { selectArchivedStarts } from '../../db/write/slices/select-archived-starts.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import type { Flow } from '../flows/flow.ts';
import { createFlowWriter } from '../flows/flow-writer.ts';
import type { GeoPlaces } from '../flows/geo-places.ts';
import type { FlowFormat } from '../formats/flow-formats.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import type { TimeBounds } from '../time-bounds.ts';
import {
  countLeftOut,
  type LeftOutFlows,
  NOTHING_LEFT_OUT,
  splitArchived,
} from './left-out-flows.ts';
import { sliceLosses } from './slice-losses.ts';

export type FeedTarget = {
  readonly databaseUrl: string;
  /** Its address after a failure: that of an embedded server that was started again is another. */
  readonly reopen: () => Promise<string>;
  readonly source: string;
  readonly context: string;
  readonly format: FlowFormat;
  readonly engine: number;
  readonly home: readonly string[];
  readonly probe: string | null;
  readonly places: GeoPlaces | null;
  readonly nowMs: () => number;
  readonly onWaiting: () => void;
};

/** Some flows that are committed together, and the feed's tally with them. */
export type FeedBatch = {
  readonly number: number;
  readonly flows: readonly Flow[];
  readonly flowsSoFar: number;
  readonly newestUs: number;
  /** What was lost so far, without what this batch has to leave out. */
  readonly losses: FeedLossCounts;
};

/** Each flow was looked at when it was read. */
const NO_BOUNDS: TimeBounds = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Flows between two looks at what else there is to do: signals, and input. */
const FLOWS_A_TURN = 500;

/**
 * Commits the batches of one feed, each in a transaction with its number. After a failure nobody
 * knows whether the transaction has been committed: the answer may be what was lost. So every
 * attempt first looks for the batch's number, once it has the context's lock: an attempt before it,
 * be it that it still runs, had that lock until it was over.
 *
 * Flows of archived slices are left out, and told of: those that came with them are not to blame.
 */
export function createFeedCommitter(target: FeedTarget) {
  const feedId = randomUUID();
  const startedAt = new Date();
  let databaseUrl = target.databaseUrl;
  let hasFailed = false;
  /** Of the batch that is being committed: an attempt that is found to be committed said so. */
  let leftOut: LeftOutFlows = NOTHING_LEFT_OUT;
  const inSlices = sliceLosses(target.engine);

  async function write(
    session: ImportSession,
    batch: FeedBatch,
    signal: AbortSignal,
  ): Promise<void> {
    const { connection, contextId } = session;
    if ((await selectFeedCommits(connection, feedId)) >= batch.number) return;
    const { format, nowMs } = target;
    leftOut =
      batch.flows.length > 0
        ? await writeFlows(session, { target, batch, signal })
        : NOTHING_LEFT_OUT;
    const { number: commits, flowsSoFar, newestUs } = batch;
    const leftOutNow = countLeftOut(leftOut);
    const losses: FeedLossCounts = {
      ...batch.losses,
      leftOutFlows: batch.losses.leftOutFlows + leftOutNow,
    };
    await upsertFeed(connection, {
      feedId,
      contextId,
      format,
      startedAt,
      commits,
      flows: flowsSoFar - leftOutNow,
      newestUs,
      losses,
    });
    await inSlices.add(session, losses, { newestUs, nowMs: nowMs() });
  }

  /** One attempt, which the signal ends; one that fails may have succeeded, and is made again. */
  return async (batch: FeedBatch, signal: AbortSignal): Promise<LeftOutFlows> => {
    const { source, context, engine, nowMs, onWaiting } = target;
    const now = () => Math.floor(nowMs() / 1000);
    // Where it cannot be opened either, the import says why.
    if (hasFailed) databaseUrl = await target.reopen().catch(() => databaseUrl);
    hasFailed = true;
    // Losses alone make no context: there would be nothing in it.
    if (batch.flows.length > 0 || (await hasContext(databaseUrl, context))) {
      await runImport(
        { databaseUrl, source, context, engine, makesContext: true, now, onWaiting, signal },
        (session) => write(session, batch, signal),
      );
    }
    hasFailed = false;
    inSlices.commit();
    return leftOut;
  };
}

type WritingFlows = {
  readonly target: FeedTarget;
  readonly batch: FeedBatch;
  readonly signal: AbortSignal;
};

/** Writes the flows of a batch, but for those of archived slices, which it gives. */
async function writeFlows(
  session: ImportSession,
  { target, batch, signal }: WritingFlows,
): Promise<LeftOutFlows> {
  const { connection, contextId, writer, sliceSeconds } = session;
  const { home, probe, places, engine } = target;
  const archived = await selectArchivedStarts(connection, { contextId, engine });
  const split = splitArchived(batch.flows, archived, sliceSeconds);
  const { add, finish } = await createFlowWriter(session, {
    home,
    probe,
    places,
    bounds: NO_BOUNDS,
  });
  for (const [i, flow] of split.taken.entries()) {
    signal.throwIfAborted();
    const due = add(flow);
    if (due !== null) await due;
    if (i % FLOWS_A_TURN === FLOWS_A_TURN - 1) await nextTurn();
  }
  await writer.finish();
  await finish();
  return split.leftOut;
}

const hasContext = (databaseUrl: string, context: string): Promise<boolean> =>
  withConnection({ databaseUrl }, 'import', async (connection) => {
    return (await selectContext(connection, context)) !== null;
  });
