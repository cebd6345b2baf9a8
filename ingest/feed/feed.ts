import type { FeedLossCounts } from '../../db/sql/feeds.ts';
import type { LostUnits } from '../../domain/exporters.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { IngestError } from '../ingest-error.ts';
import type { ReadUnit } from '../lines/skipped-lines.ts';
import type { ExporterLoss } from '../losses/feed-losses.ts';
import { restoreCommand } from '../session/archived-slice.ts';
import { createFeedCommitter, type FeedTarget } from './feed-batches.ts';
import type { MonotonicMs } from './feed-clock.ts';
import { type CommitState, FeedCommits } from './feed-commits.ts';
import type { FeedInput, ReaderTally } from './feed-input.ts';
import { DEFAULT_FEED_LIMITS, type FeedLimits } from './feed-limits.ts';
import { type FeedPlace, feedPlace, placeBeside } from './feed-place.ts';
import { LateFlowCounter, type LateFlows } from './late-flows.ts';
import type { LeftOutFlows } from './left-out-flows.ts';
import { PendingFlows } from './pending-flows.ts';

export type FeedOptions = Omit<
  FeedTarget,
  'source' | 'onWaiting' | 'exporters' | 'silentMs' | 'place'
> & {
  readonly input: FeedInput;
  /** Whether the first commit does not wait for flows or losses. */
  readonly reportsAtOnce: boolean;
  /** Whether flows of archived slices are left out, instead of ending the feed. */
  readonly leavesOutArchived: boolean;
  readonly latenessSeconds: number;
  /** Whether other feeds may fill the same context and probe meanwhile. */
  readonly beside: boolean;
  /** Called before it waits for such a feed to be gone. */
  readonly onBeside: (what: string) => void;
  /** Called when such a feed is gone, and nothing is read yet: what it has stored is all there. */
  readonly beforeReading?: (() => Promise<void>) | undefined;
  readonly monotonicMs: () => MonotonicMs;
  /** Ends the feed: what was read is committed, nothing more is read. */
  readonly stop: AbortSignal;
  readonly onStatus: (status: FeedStatus) => void;
  /** Called with flows that were left out because their slice is archived. */
  readonly onLeftOut: (flows: number, reason: string) => void;
  /** Called with the exporters that have lost something so far, when more was lost. */
  readonly onLost: (exporters: readonly ExporterLoss[]) => void;
  readonly limits?: Partial<FeedLimits> | undefined;
};

export type FeedTally = ReaderTally & {
  readonly commits: number;
  readonly committedFlows: number;
  /** Number of flows left out because their slice is archived. */
  readonly leftOutFlows: number;
  /** What exporters sent but did not arrive. */
  readonly lost: LostUnits;
};

/** The result of a feed, with the exporters that lost something. */
export type FeedReport = FeedTally & { readonly exporters: readonly ExporterLoss[] };

/** The state of a feed. */
export type FeedStatus = FeedTally &
  CommitState & {
    readonly context: string;
    readonly unit: ReadUnit;
    readonly late: LateFlows | null;
  };

/**
 * Imports flows from an endless source, unless another feed does so already. Flows are committed
 * when the bucket in which they ended is over, many in each transaction. During a commit, and while
 * the database is away, reading continues up to a bound. The feed ends with the source, when it is
 * told to stop, and at a bad line or a flow of an archived slice unless these are skipped.
 * Everything else that was read is committed.
 */
export async function runFeed(options: FeedOptions): Promise<FeedReport> {
  const limits = { ...DEFAULT_FEED_LIMITS, ...options.limits };
  const place = placeOf(options, limits);
  try {
    await place.take(options.databaseUrl, options.stop);
    await options.beforeReading?.();
    return await runInPlace(options, limits, place);
  } finally {
    await place.leave();
  }
}

function placeOf(options: FeedOptions, { besideWaitMs: waitMs, tickMs }: FeedLimits): FeedPlace {
  const { context, probe, beside, monotonicMs, onBeside: onWaiting } = options;
  if (beside) return placeBeside({ context, probe });
  return feedPlace({ context, probe, waitMs, tickMs, monotonicMs, onWaiting });
}

async function runInPlace(
  options: FeedOptions,
  limits: FeedLimits,
  place: FeedPlace,
): Promise<FeedReport> {
  const { latenessSeconds, nowMs, monotonicMs, stop, context } = options;
  const pending = new PendingFlows({ latenessSeconds, holdMs: limits.holdMs });
  const archived = archivedFlows(options, () => reader.stop());
  const late = new LateFlowCounter(latenessSeconds);
  const reader = options.input.open({ pending, late, room: () => commits.room() });
  const { losses } = reader;
  const commits = new FeedCommits(pending, {
    limits,
    now: () => ({ wallMs: nowMs(), monotonicMs: monotonicMs() }),
    stop,
    reportsAtOnce: options.reportsAtOnce,
    onLeftOut: archived.note,
    losses(state) {
      const hasMore = state === 'over' ? losses.end() : losses.settle(monotonicMs());
      if (hasMore) options.onLost(losses.exporters());
      return lossCounts(losses.total(), reader.tally().badLines);
    },
    commit: createFeedCommitter({
      ...options,
      source: options.input.name,
      place,
      exporters: reader.exporters,
      silentMs: silence(options, reader.done),
      onWaiting: () => commits.noteTrouble('waiting for another import into the context to end'),
    }),
    onChange: () => options.onStatus(status()),
  });
  const tally = (): FeedTally => ({
    ...reader.tally(),
    ...commits.tally(),
    lost: losses.total(),
  });
  const status = (): FeedStatus => ({
    context,
    unit: options.input.unit,
    ...tally(),
    ...commits.state(),
    late: late.result(),
  });
  const statusTimer = setInterval(() => options.onStatus(status()), limits.tickMs);
  // If commits are given up, reading stops. When reading is over, commits finish.
  void reader.done.then(() => commits.endWithWhatIsThere());
  await commits.run().finally(() => {
    clearInterval(statusTimer);
    reader.stop();
  });
  // A mistake that stopped the reader is reported after everything before it is committed.
  reader.throwIfFailed();
  archived.throwIfRefused();
  reader.throwIfUncounted();
  return { ...tally(), exporters: losses.exporters() };
}

/** Returns how long ago a feed was told to stop, or its source ended; 0: neither. */
function silence({ stop, monotonicMs }: FeedOptions, done: Promise<void>): () => number {
  let sinceMs: MonotonicMs | null = null;
  const begin = () => {
    sinceMs ??= monotonicMs();
  };
  if (stop.aborted) begin();
  stop.addEventListener('abort', begin, { once: true });
  void done.then(begin);
  return () => (sinceMs === null ? 0 : monotonicMs() - sinceMs);
}

const lossCounts = (lost: LostUnits, refusedLines: number): FeedLossCounts => ({
  refusedLines,
  leftOutFlows: 0,
  lostFlows: lost.flows,
  lostPackets: lost.packets,
  lostDatagrams: lost.datagrams,
});

/** Handles the flows of archived slices: reports them, or ends the feed. */
function archivedFlows(
  { context, engine, input, leavesOutArchived, onLeftOut }: FeedOptions,
  stopReading: () => void,
) {
  let refused: string | null = null;
  const describeSlice = (startsAt: number): string =>
    `of ${sliceName(startsAt, engine)}, which is archived: restore it to count them, with ` +
    restoreCommand({ context, engine, startsAt });
  return {
    note(leftOut: LeftOutFlows): void {
      for (const [startsAt, flows] of leftOut) {
        if (leavesOutArchived) onLeftOut(flows, describeSlice(startsAt));
        else refused ??= `${flows.toLocaleString('en')} flows are ${describeSlice(startsAt)}`;
      }
      if (refused !== null) stopReading();
    },
    throwIfRefused(): void {
      if (refused === null) return;
      const { name } = input;
      throw new IngestError(
        `${name}: ${refused}: everything else is committed; --skip-bad-lines skips such flows`,
      );
    },
  };
}
