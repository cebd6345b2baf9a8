import type { FeedLossCounts } from '../../db/write/feeds/feed-losses.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { refuseEmpty } from '../files/empty-input.ts';
import type { ImportSource } from '../files/import-source.ts';
import type { PortRule } from '../flows/flow.ts';
import { IngestError } from '../ingest-error.ts';
import type { LostUnits } from '../losses/export-number.ts';
import { type ExporterLoss, FeedLosses } from '../losses/feed-losses.ts';
import { restoreCommand } from '../session/archived-slice.ts';
import { createFeedCommitter, type FeedTarget } from './feed-batches.ts';
import { type CommitState, FeedCommits } from './feed-commits.ts';
import { FEED_LIMITS, type FeedLimits } from './feed-limits.ts';
import { readFeed } from './feed-reader.ts';
import type { LeftOutFlows } from './left-out-flows.ts';
import { PendingFlows } from './pending-flows.ts';

export type FeedOptions = Omit<FeedTarget, 'source' | 'onWaiting'> & {
  readonly source: ImportSource;
  readonly timeZone: string;
  readonly servicePort: PortRule;
  readonly skipBadLines: boolean;
  /** Takes a source without flows where that is likely a mistake. */
  readonly allowEmpty: boolean;
  readonly latenessSeconds: number;
  /** Ends the feed: what was read is committed, nothing more is read. */
  readonly stop: AbortSignal;
  readonly onStatus: (status: FeedStatus) => void;
  readonly onBadLine: (line: number, reason: string) => void;
  /** Told of flows of an archived slice, which were left out. */
  readonly onLeftOut: (flows: number, reason: string) => void;
  /** Told of whom something was lost so far, when more was. */
  readonly onLost: (exporters: readonly ExporterLoss[]) => void;
  readonly limits?: Partial<FeedLimits>;
};

export type FeedTally = {
  readonly lines: number;
  /** Flows that were read. */
  readonly flows: number;
  readonly badLines: number;
  readonly commits: number;
  readonly committedFlows: number;
  /** Flows of archived slices. */
  readonly leftOutFlows: number;
  /** What exporters sent and no line tells of. */
  readonly lost: LostUnits;
};

/** What became of a feed, and of which exporters something was lost. */
export type FeedReport = FeedTally & { readonly exporters: readonly ExporterLoss[] };

/** How a feed stands. */
export type FeedStatus = FeedTally & CommitState & { readonly context: string };

/**
 * Imports flows from a source without end. They are committed when the buckets in which they ended
 * are over, many flows in each transaction; while that goes on, or the database is away, reading
 * goes on too, up to a bound. Ends with the source, when it is told to stop, and at a bad line or
 * a flow of an archived slice where these are not skipped: all else that was read is committed.
 */
export async function runFeed(options: FeedOptions): Promise<FeedReport> {
  const limits = { ...FEED_LIMITS, ...options.limits };
  const { latenessSeconds, nowMs, stop, context } = options;
  const pending = new PendingFlows({ latenessSeconds, holdMs: limits.holdMs });
  const archived = archivedFlows(options, () => reader.stop());
  const losses = new FeedLosses();
  const commits = new FeedCommits(pending, {
    limits,
    nowMs,
    stop,
    onLeftOut: archived.note,
    losses(state) {
      const hasMore = state === 'over' ? losses.end() : losses.settle(nowMs());
      if (hasMore) options.onLost(losses.exporters());
      return lossCounts(losses.total(), reader.tally().badLines);
    },
    commit: createFeedCommitter({
      ...options,
      source: options.source.name,
      onWaiting: () => commits.noteTrouble('waiting for another import into the context to end'),
    }),
    onChange: () => options.onStatus(status()),
  });
  const reader = readFeed({ ...options, pending, losses, room: () => commits.room() });
  const tally = (): FeedTally => ({
    ...reader.tally(),
    ...commits.tally(),
    lost: losses.total(),
  });
  const status = (): FeedStatus => ({ context, ...tally(), ...commits.state() });
  const telling = setInterval(() => options.onStatus(status()), limits.tickMs);
  // Where commits are given up, nothing more is read; when reading is over, they come to an end.
  void reader.done.then(() => commits.endWithWhatIsThere());
  await commits.run().finally(() => {
    clearInterval(telling);
    reader.stop();
  });
  // What the reader stopped at, if it was a mistake, comes once all before it is committed.
  reader.throwIfFailed();
  archived.throwIfRefused();
  const total = tally();
  const isEmpty = total.flows === 0 && total.badLines === 0;
  // What was told to end may have had no time for a flow.
  if (isEmpty && !options.allowEmpty && !stop.aborted) {
    refuseEmpty({ source: options.source.name, format: options.format, lines: total.lines });
  }
  return { ...total, exporters: losses.exporters() };
}

const lossCounts = (lost: LostUnits, refusedLines: number): FeedLossCounts => ({
  refusedLines,
  leftOutFlows: 0,
  lostFlows: lost.flows,
  lostPackets: lost.packets,
  lostDatagrams: lost.datagrams,
});

/** What becomes of flows of archived slices: they are named, or end the feed. */
function archivedFlows(
  { context, engine, source, skipBadLines, onLeftOut }: FeedOptions,
  stopReading: () => void,
) {
  let refused: string | null = null;
  const reasonOf = (startsAt: number): string =>
    `of ${sliceName(startsAt, engine)}, which is archived: restore it to count them, with ` +
    restoreCommand({ context, engine, startsAt });
  return {
    note(leftOut: LeftOutFlows): void {
      for (const [startsAt, flows] of leftOut) {
        if (skipBadLines) onLeftOut(flows, reasonOf(startsAt));
        else refused ??= `${flows.toLocaleString('en')} flows are ${reasonOf(startsAt)}`;
      }
      if (refused !== null) stopReading();
    },
    throwIfRefused(): void {
      if (refused === null) return;
      const name = source.name;
      throw new IngestError(
        `${name}: ${refused}: all else that was read is committed; --skip-bad-lines goes on`,
      );
    },
  };
}
