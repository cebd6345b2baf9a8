import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { withConnection } from '../../db/connection/with-connection.ts';
import { selectArchivedStarts } from '../../db/sql/archived-slices.ts';
import { selectContext } from '../../db/sql/contexts.ts';
import { deleteExporters, type ExporterRow, upsertExporters } from '../../db/sql/exporters.ts';
import {
  type FeedLossCounts,
  type FeedState,
  selectFeedCommits,
  upsertFeed,
} from '../../db/sql/feeds.ts';
import type { Flow } from '../flows/flow.ts';
import { createFlowWriter } from '../flows/flow-writer.ts';
import type { GeoLookup } from '../flows/geo-lookup.ts';
import type { FlowFormat } from '../formats/flow-formats.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import { changedExporters } from './changed-exporters.ts';
import type { FeedPlace } from './feed-place.ts';
import {
  countLeftOut,
  type LeftOutFlows,
  NOTHING_LEFT_OUT,
  splitArchived,
} from './left-out-flows.ts';
import { sliceLosses } from './slice-losses.ts';

export type FeedTarget = {
  readonly databaseUrl: string;
  /**
   * Reopens the database after a failure and returns its address: an embedded server that was
   * restarted has a new one.
   */
  readonly reopen: () => Promise<string>;
  readonly source: string;
  readonly context: string;
  /** The format of its lines, or `collect`. */
  readonly format: FlowFormat | 'collect';
  readonly engine: number;
  readonly home: readonly string[];
  readonly probe: string | null;
  readonly geo: GeoLookup | null;
  readonly nowMs: () => number;
  readonly onWaiting: () => void;
  readonly exporters: () => readonly ExporterRow[];
  /** Milliseconds since the feed stopped to read; 0: it reads. */
  readonly silentMs: () => number;
  /** Where only one feed may be. */
  readonly place: FeedPlace;
};

/** Flows that are committed together, with the feed's totals so far. */
export type FeedBatch = {
  readonly number: number;
  readonly flows: readonly Flow[];
  readonly flowsSoFar: number;
  readonly newestUs: number;
  /** Losses so far, without what this batch has to leave out. */
  readonly losses: FeedLossCounts;
  /** What the feed has read beyond this batch. */
  readonly state: FeedState;
};

/** Number of flows after which signals and input are handled. */
const FLOWS_BETWEEN_YIELDS = 500;

/**
 * Commits the batches of one feed, each with its number in one transaction. After a failure nobody
 * knows whether the transaction was committed: only the reply may have been lost. So every attempt
 * first takes the context's lock, and then looks for the batch's number. An earlier attempt, even
 * one that was still running, held that lock until it was over.
 *
 * Flows of archived slices are left out and reported. The other flows of the batch are committed.
 */
export function createFeedCommitter(target: FeedTarget) {
  const feedId = randomUUID();
  const startedAt = new Date();
  let databaseUrl = target.databaseUrl;
  let hasFailed = false;
  /**
   * Flows left out of the current batch. If the batch turns out to be committed already, the
   * attempt that committed it has set them.
   */
  let leftOut: LeftOutFlows = NOTHING_LEFT_OUT;
  const inSlices = sliceLosses(target.engine);
  const exporters = changedExporters();

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
      probe: target.probe,
      state: batch.state,
      silentSeconds: target.silentMs() / 1000,
    });
    const { changed, gone } = exporters.of(target.exporters());
    await deleteExporters(connection, feedId, gone);
    await upsertExporters(connection, feedId, changed);
    await inSlices.add(session, losses, { newestUs, nowMs: nowMs() });
  }

  /**
   * Makes one attempt, which `signal` ends. An attempt that fails may have succeeded, and is
   * repeated.
   */
  return async (batch: FeedBatch, signal: AbortSignal): Promise<LeftOutFlows> => {
    const { source, context, engine, nowMs, onWaiting } = target;
    const now = () => Math.floor(nowMs() / 1000);
    // If it cannot be reopened either, the import says why.
    if (hasFailed) databaseUrl = await target.reopen().catch(() => databaseUrl);
    hasFailed = true;
    await target.place.take(databaseUrl, signal);
    // Losses alone do not create a context, because it would be empty.
    if (batch.flows.length > 0 || (await hasContext(databaseUrl, context))) {
      await runImport(
        { databaseUrl, source, context, engine, makesContext: true, now, onWaiting, signal },
        (session) => write(session, batch, signal),
      );
    }
    hasFailed = false;
    inSlices.commit();
    exporters.commit();
    return leftOut;
  };
}

type WritingFlows = {
  readonly target: FeedTarget;
  readonly batch: FeedBatch;
  readonly signal: AbortSignal;
};

/** Writes the flows of a batch, except those of archived slices, which it returns. */
async function writeFlows(
  session: ImportSession,
  { target, batch, signal }: WritingFlows,
): Promise<LeftOutFlows> {
  const { connection, contextId, writer, sliceSeconds } = session;
  const { home, probe, geo, engine } = target;
  const archived = await selectArchivedStarts(connection, { contextId, engine });
  const split = splitArchived(batch.flows, archived, sliceSeconds);
  const { add, finish } = await createFlowWriter(session, { home, probe, geo });
  for (const [i, flow] of split.taken.entries()) {
    signal.throwIfAborted();
    const due = add(flow);
    if (due !== null) await due;
    if (i % FLOWS_BETWEEN_YIELDS === FLOWS_BETWEEN_YIELDS - 1) await yieldToEventLoop();
  }
  await writer.finish();
  await finish();
  return split.leftOut;
}

const hasContext = (databaseUrl: string, context: string): Promise<boolean> =>
  withConnection({ databaseUrl }, 'import', async (connection) => {
    return (await selectContext(connection, context)) !== null;
  });
