import { type Command, InvalidArgumentError, Option } from 'commander';
import { withConnection } from '../../db/connection/with-connection.ts';
import { selectLastCollecting } from '../../db/sql/feeds.ts';
import {
  DEFAULT_LISTEN,
  LISTEN_FORM,
  type ListenAddress,
  listenText,
  parseListenAddress,
} from '../../domain/collect-target.ts';
import { LIMITS } from '../../domain/limits.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import { collectInput } from '../../ingest/collect/collect-input.ts';
import { makeCollectedContext } from '../../ingest/collect/make-context.ts';
import { bufferWarning, openReceiver, type Receiver } from '../../ingest/collect/receiver.ts';
import { createDatagramDecoder } from '../../ingest/decode-datagram.ts';
import type { FeedReport } from '../../ingest/feed/feed.ts';
import { type CommandDatabase, withDatabase } from '../database/run-with-database.ts';
import { asTyped } from '../invocation.ts';
import { parseEngine, parseName } from '../option-values.ts';
import { counted } from '../output/counted.ts';
import { duration, type FeedDisplay } from '../output/feed-status.ts';
import { lostText } from '../output/lost-text.ts';
import { skippedPart } from '../output/skipped-part.ts';
import { UsageError } from '../usage-error.ts';
import { registerCollectList } from './collect-list.ts';
import { type DisplayedFeedOptions, runDisplayedFeed } from './displayed-feed.ts';
import { openDatabases } from './import.ts';
import { collectNetworks, homeOption, mmdbOption, parseLateness } from './import-options.ts';

type CollectCommandOptions = Omit<DisplayedFeedOptions, 'databases' | 'context'> & {
  readonly context?: string;
  readonly listen?: ListenAddress[];
  readonly from?: string[];
  readonly grant?: string;
  readonly mmdb?: string[];
  readonly untilInputEnds?: true;
  readonly json?: true;
};

export function registerCollect(program: Command): void {
  // Options that follow the name of a subcommand are its own: without this, --context of
  // `collect list` would be that of `collect`.
  program.enablePositionalOptions();
  const collect = program
    .command('collect')
    .description('receive NetFlow, IPFIX and sFlow by UDP, and commit the flows bucket by bucket');
  addOptions(collect).action(collectFlows);
  registerCollectList(collect);
}

const addOptions = (command: Command): Command =>
  command
    .option('--context <name>', 'the context; it is created if needed', parseName)
    .option(
      '--listen <[host:]port>',
      'where exporters send to by UDP; repeatable ' +
        `(default: ${DEFAULT_LISTEN.map(({ port }) => port).join(' and ')} on all addresses)`,
      anotherAddress,
    )
    .option(
      '--from <cidr>',
      'a network of exporters that are heard; repeatable (default: all are)',
      collectNetworks,
    )
    .option(
      '--grant <user>',
      'grant the context to this user, as an editor, if it is created',
      parseName,
    )
    .addOption(homeOption())
    .addOption(mmdbOption())
    .option(
      '--lateness <seconds>',
      'how long to wait for more flows of a bucket after its end ' +
        `(default: ${LIMITS.feedLatenessSeconds})`,
      parseLateness,
    )
    .option('--probe <id>', 'the probe of the flows', parseName)
    .option('--engine <n>', 'the engine instance whose slices are filled (default: 0)', parseEngine)
    .option('--beside', 'even while another feed fills the same context and probe')
    .addOption(new Option('--until-input-ends', 'end with standard input').hideHelp())
    .option('--json', 'print the result as a line of JSON');

function anotherAddress(text: string, before: ListenAddress[] | undefined): ListenAddress[] {
  const address = parseListenAddress(text);
  if (address !== null) return [...(before ?? []), address];
  throw new InvalidArgumentError(`It must be ${LISTEN_FORM}.`);
}

async function collectFlows({ mmdb, context, ...options }: CollectCommandOptions): Promise<void> {
  if (options.untilInputEnds) endWithInput();
  // Commander would ask for a required option where a subcommand is given, too.
  if (context === undefined) throw new UsageError('--context is missing: give a context to fill');
  const databases = await openDatabases(mmdb ? { mmdb } : {});
  const { listen = [...DEFAULT_LISTEN], from = [], engine = 0, grant = null } = options;
  await withDatabase(async (database) => {
    const receiver = await openReceiver({ listen, from });
    try {
      const target = { databaseUrl: database.url, context, engine, grant, signal: database.signal };
      if (await makeCollectedContext({ ...target, onWaiting: sayWaiting })) sayNew(context, grant);
      const report = await runCollector(database, receiver, { ...options, context, databases });
      const { dropped, unheard } = receiver.counts();
      const { lines: datagrams, badLines: refused, ...tally } = report;
      const counts = { datagrams, refused, dropped, unheard };
      if (options.json) console.log(JSON.stringify({ context, ...counts, ...tally }));
      else console.log(sentence(context, report));
    } finally {
      receiver.stop();
    }
  });
}

/** A server that runs a collector beside itself ends its input, also when it is killed. */
function endWithInput(): void {
  process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  process.stdin.unref();
}

function sayWaiting(): void {
  console.error('waiting for another import that creates the context');
}

function sayNew(context: string, grant: string | null): void {
  const access =
    grant === null
      ? `nobody may read it yet: \`countergraph user add NAME --context ${shellWord(context)}\` grants it`
      : `${grant} may read and edit it`;
  console.error(asTyped(`context ${context} was created, ${access}`));
}

async function runCollector(
  database: CommandDatabase,
  receiver: Receiver,
  options: DisplayedFeedOptions & Pick<CollectCommandOptions, 'from'>,
): Promise<FeedReport> {
  return runDisplayedFeed(database, options, {
    format: 'collect',
    reportsAtOnce: true,
    leavesOutArchived: true,
    limits: { lossesEveryMs: LIMITS.collectReportEveryMs },
    beforeReading: (display) => sayPause(database, options, display),
    open: (display, clocks) =>
      collectInput({
        ...clocks,
        receiver,
        decoder: createDatagramDecoder(),
        onReady() {
          sayWhatIsHeard(receiver, options.from ?? [], display);
        },
      }),
  });
}

function sayWhatIsHeard(
  { sockets }: Receiver,
  from: readonly string[],
  display: FeedDisplay,
): void {
  if (from.length === 0) {
    display.say('all exporters are heard, as --from does not say which: anybody may send flows');
  }
  for (const socket of sockets) {
    const warning = bufferWarning(socket);
    if (warning !== null) display.say(warning);
    console.log(`collecting on udp ${listenText(socket)}`);
  }
}

/**
 * Says for how long nothing was collected into this context and probe, and what is lost if the
 * collector before was killed. Beside one that may still run, there was no pause.
 */
async function sayPause(
  { url: databaseUrl, signal }: CommandDatabase,
  { context, probe, beside }: Pick<DisplayedFeedOptions, 'context' | 'probe' | 'beside'>,
  display: FeedDisplay,
): Promise<void> {
  const last = await withConnection({ databaseUrl, signal }, 'import', (connection) =>
    selectLastCollecting(connection, context, probe ?? null),
  );
  if (last === null || (beside && !last.hasEnded)) return;
  const from = isoTime(Math.floor(last.heardAt));
  const seconds = Math.max(0, last.now - last.heardAt);
  display.say(
    `${context}: nothing was collected from ${from} until now, for ${duration(seconds)}: ` +
      'what exporters sent in that time is not counted, nor told as lost',
  );
  if (last.hasEnded || last.waitingFlows === 0) return;
  display.say(
    `${context}: the collector before has ended without its last commit: ` +
      `${counted(last.waitingFlows, 'flow')} that it had received by ${from} are lost`,
  );
}

function sentence(context: string, tally: FeedReport): string {
  const { lines, flows, committedFlows, badLines, skipped } = tally;
  const lost = lostText(tally.lost);
  const rest = skippedPart({ skipped, badLines, unit: 'datagram' });
  return (
    `${context}: ${counted(lines, 'datagram')} with ${counted(flows, 'flow')}${rest}, ` +
    `${counted(committedFlows, 'flow')} committed in ${counted(tally.commits, 'commit')}` +
    `${lost === null ? '' : `, ${lost} lost on the way`}`
  );
}
