import { withConnection } from '../../db/connection/with-connection.ts';
import { selectLastFeed } from '../../db/sql/feeds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import { type FeedStatus, type FeedTally, runFeed } from '../../ingest/feed/feed.ts';
import type { ImportSource } from '../../ingest/files/import-source.ts';
import type { PortRule } from '../../ingest/flows/flow.ts';
import { type GeoDatabase, geoLookup } from '../../ingest/flows/geo-lookup.ts';
import type { FlowFormat } from '../../ingest/formats/flow-formats.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { createLog } from '../../server/telemetry/log.ts';
import type { CommandDatabase } from '../database/run-with-database.ts';
import { count, counted } from '../output/counted.ts';
import { type FeedDisplay, showFeed } from '../output/feed-status.ts';
import { losersText, lostText } from '../output/lost-text.ts';
import { skippedPart } from '../output/skipped-part.ts';

export type FeedCommandOptions = {
  readonly context: string;
  readonly format: FlowFormat;
  readonly home?: string[];
  readonly timeZone?: string;
  readonly servicePort?: PortRule;
  readonly probe?: string;
  readonly engine?: number;
  readonly allowEmpty?: true;
  readonly lateness?: number;
  readonly beside?: true;
  readonly skipBadLines?: true;
  readonly json?: true;
  /** Opened databases of places; null: places are not counted. */
  readonly databases: readonly GeoDatabase[] | null;
};

/** Imports one source until it ends or the process is told to end: `import --follow`. */
export async function followSource(
  database: CommandDatabase,
  source: ImportSource,
  { databases, ...options }: FeedCommandOptions,
): Promise<void> {
  const nowMs = () => Date.now();
  const monotonicMs = () => performance.now();
  const display = showFeed(
    () => ({ wallMs: nowMs(), monotonicMs: monotonicMs() }),
    () => createLog(database.settings.logLevel, process.stderr),
  );
  await reportPreviousFeed(database, options.context, display);
  // A damaged database of places must not cost flows.
  const warn = ({ message }: Error) => display.say(`${message}; going on without it`);
  let last: FeedStatus | null = null;
  const tally = await runFeed({
    ...options,
    geo: databases && geoLookup(databases, warn),
    source,
    databaseUrl: database.url,
    reopen: database.reopen,
    home: options.home ?? [],
    probe: options.probe ?? null,
    engine: options.engine ?? 0,
    timeZone: options.timeZone ?? database.settings.timeZone,
    servicePort: options.servicePort ?? 'registered',
    skipBadLines: options.skipBadLines ?? false,
    allowEmpty: options.allowEmpty ?? false,
    beside: options.beside ?? false,
    onBeside: display.say,
    latenessSeconds: options.lateness ?? LIMITS.feedLatenessSeconds,
    nowMs,
    monotonicMs,
    stop: database.signal,
    onStatus: (status) => {
      last = status;
      display.update(status);
    },
    onBadLine: (line, reason) => display.say(`${source.name}, line ${line} was skipped: ${reason}`),
    onNote: (note) => display.say(`${source.name}: ${note}`),
    onLost: (exporters) => display.say(`${source.name}: lost so far: ${losersText(exporters)}`),
    onLeftOut: (flows, reason) =>
      display.say(`${source.name}: ${count(flows)} flows left out, ${reason}`),
  })
    .catch((error: unknown) => {
      // After a signal, only the interruption is reported. Report here what could not be committed.
      if (database.signal.aborted && error instanceof IngestError) display.say(error.message);
      if (last) display.say(committedText(last));
      throw error;
    })
    .finally(display.stop);
  const { context, format } = options;
  const report = { source: source.name, context, format, ...tally };
  console.log(options.json ? JSON.stringify(report) : sentence(source.name, tally));
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

function sentence(name: string, tally: FeedTally): string {
  const { lines, badLines, committedFlows, leftOutFlows, commits } = tally;
  const lost = lostText(tally.lost);
  const skipped = skippedPart({ skipped: tally.skipped, badLines });
  const leftOut =
    leftOutFlows > 0 ? `, ${counted(leftOutFlows, 'flow')} of archived slices left out` : '';
  return (
    `${name}: ${counted(committedFlows, 'flow')} from ${counted(lines, 'line')}${skipped}${leftOut}, ` +
    `in ${counted(commits, 'commit')}${lost === null ? '' : `, ${lost} lost on the way`}`
  );
}
