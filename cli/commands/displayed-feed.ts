import { withConnection } from '../../db/connection/with-connection.ts';
import { selectLastFeed } from '../../db/sql/feeds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import {
  type FeedOptions,
  type FeedReport,
  type FeedStatus,
  runFeed,
} from '../../ingest/feed/feed.ts';
import type { FeedInput } from '../../ingest/feed/feed-input.ts';
import { type GeoDatabase, geoLookup } from '../../ingest/flows/geo-lookup.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { createLog } from '../../server/telemetry/log.ts';
import type { CommandDatabase } from '../database/run-with-database.ts';
import { count, counted } from '../output/counted.ts';
import { type FeedDisplay, showFeed } from '../output/feed-status.ts';
import { losersText } from '../output/lost-text.ts';

/** What every command that runs a feed lets its user choose. */
export type DisplayedFeedOptions = {
  readonly context: string;
  readonly home?: string[];
  readonly probe?: string;
  readonly engine?: number;
  readonly lateness?: number;
  readonly beside?: true;
  /** Opened databases of places; null: places are not counted. */
  readonly databases: readonly GeoDatabase[] | null;
};

/** What a feed is told besides, by the command that runs it. */
type CommandParts = Pick<FeedOptions, 'format' | 'reportsAtOnce' | 'leavesOutArchived'> & {
  readonly open: (display: FeedDisplay, clocks: FeedClocks) => FeedInput;
  readonly beforeReading?: (display: FeedDisplay) => Promise<void>;
  readonly limits?: FeedOptions['limits'];
};

export type FeedClocks = Pick<FeedOptions, 'nowMs' | 'monotonicMs' | 'stop'>;

/** Runs a feed until it ends or the process is told to, and shows its state on standard error. */
export async function runDisplayedFeed(
  database: CommandDatabase,
  { databases, ...options }: DisplayedFeedOptions,
  { open, beforeReading, ...parts }: CommandParts,
): Promise<FeedReport> {
  const clocks: FeedClocks = {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    stop: database.signal,
  };
  const display = showFeed(
    () => ({ wallMs: clocks.nowMs(), monotonicMs: clocks.monotonicMs() }),
    () => createLog(database.settings.logLevel, process.stderr),
  );
  // A damaged database of places must not cost flows.
  const warn = ({ message }: Error) => display.say(`${message}; going on without it`);
  let last: FeedStatus | null = null;
  const input = open(display, clocks);
  return runFeed({
    ...clocks,
    ...parts,
    input,
    context: options.context,
    geo: databases && geoLookup(databases, warn),
    databaseUrl: database.url,
    reopen: database.reopen,
    home: options.home ?? [],
    probe: options.probe ?? null,
    engine: options.engine ?? 0,
    beside: options.beside ?? false,
    onBeside: display.say,
    async beforeReading() {
      await reportPreviousFeed(database, options.context, display);
      await beforeReading?.(display);
    },
    latenessSeconds: options.lateness ?? LIMITS.feedLatenessSeconds,
    onStatus: (status) => {
      last = status;
      display.update(status);
    },
    onLost: (exporters) => display.say(`${input.name}: lost so far: ${losersText(exporters)}`),
    onLeftOut: (flows, reason) =>
      display.say(`${input.name}: ${count(flows)} flows left out, ${reason}`),
  })
    .catch((error: unknown) => {
      // After a signal, only the interruption is reported. Report here what could not be committed.
      if (database.signal.aborted && error instanceof IngestError) display.say(error.message);
      if (last) display.say(committedText(last));
      throw error;
    })
    .finally(display.stop);
}

/** Reports how far a feed got that has failed: the message of the failure says what is lost. */
function committedText({ context, committedFlows, committedTo }: FeedStatus): string {
  const flows = counted(committedFlows, 'flow');
  const upTo = committedTo === null ? '' : `, up to ${isoTime(Math.floor(committedTo))}`;
  return `${context}: this feed has committed ${flows}${upTo}`;
}

/** Reports how far the previous feed got: whatever it had not committed is lost. */
async function reportPreviousFeed(
  { url: databaseUrl, signal }: CommandDatabase,
  context: string,
  display: FeedDisplay,
): Promise<void> {
  const last = await withConnection({ databaseUrl, signal }, 'import', (connection) =>
    selectLastFeed(connection, context),
  );
  if (!last) return;
  const newest = new Date(last.newestUs / 1000).toISOString();
  display.say(
    `${context}: the feed before, begun at ${last.startedAt.toISOString()}, ` +
      `committed ${counted(last.flows, 'flow')}, the newest of ${newest}`,
  );
}
