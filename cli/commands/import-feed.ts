import type { FeedTally } from '../../ingest/feed/feed.ts';
import { lineInput } from '../../ingest/feed/feed-reader.ts';
import type { ImportSource } from '../../ingest/files/import-source.ts';
import type { PortRule } from '../../ingest/flows/flow.ts';
import type { FlowFormat } from '../../ingest/formats/flow-formats.ts';
import type { CommandDatabase } from '../database/run-with-database.ts';
import { counted } from '../output/counted.ts';
import { lostText } from '../output/lost-text.ts';
import { skippedPart } from '../output/skipped-part.ts';
import { type DisplayedFeedOptions, runDisplayedFeed } from './displayed-feed.ts';

export type FeedCommandOptions = DisplayedFeedOptions & {
  readonly format: FlowFormat;
  readonly timeZone?: string;
  readonly servicePort?: PortRule;
  readonly allowEmpty?: true;
  readonly skipBadLines?: true;
  readonly json?: true;
};

/** Imports one source until it ends or the process is told to end: `import --follow`. */
export async function followSource(
  database: CommandDatabase,
  source: ImportSource,
  options: FeedCommandOptions,
): Promise<void> {
  const { context, format, skipBadLines = false } = options;
  const { name } = source;
  const tally = await runDisplayedFeed(database, options, {
    format,
    reportsAtOnce: false,
    leavesOutArchived: skipBadLines,
    open: (display, clocks) =>
      lineInput({
        ...clocks,
        source,
        format,
        skipBadLines,
        timeZone: options.timeZone ?? database.settings.timeZone,
        servicePort: options.servicePort ?? 'registered',
        allowEmpty: options.allowEmpty ?? false,
        onBadLine: (line, reason) => display.say(`${name}, line ${line} was skipped: ${reason}`),
        onNote: (note) => display.say(`${name}: ${note}`),
      }),
  });
  const report = { source: name, context, format, ...tally };
  console.log(options.json ? JSON.stringify(report) : sentence(name, tally));
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
