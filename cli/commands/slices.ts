import { type Command, Option } from 'commander';
import { countExpiredEvents } from '../../db/sql/alert-retention.ts';
import { selectKeptSince } from '../../db/sql/archived-slices.ts';
import { selectSliceLosses } from '../../db/sql/feeds.ts';
import { selectClock } from '../../db/sql/server-state.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { MOMENT_FORM } from '../../domain/time/moment.ts';
import {
  type ArchiveSession,
  finishArchiving,
  type NamedSlice,
  type SliceIdentity,
  withArchiveSession,
} from '../../store/archive/archive-session.ts';
import { archiveSlice } from '../../store/archive/archive-slice.ts';
import { compareClocks } from '../../store/archive/clocks.ts';
import { dropSlice } from '../../store/archive/drop-slice.ts';
import { dropExpiredEvents } from '../../store/archive/expired-events.ts';
import {
  planSlices,
  type SliceAction,
  type SlicePlan,
  type SliceSelection,
  selectKept,
} from '../../store/archive/plan-slices.ts';
import { type ArchivePool, findPool } from '../../store/archive/pool-folder.ts';
import { restoreSlice } from '../../store/archive/restore-slice.ts';
import { loadSliceSegments } from '../../store/merge/waiting-segments.ts';
import { confirm } from '../confirm.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseEngine, parseName, parseNames, readMoment } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { showSteps } from '../output/progress.ts';
import { reportRefused } from '../output/report-refused.ts';
import { type SliceFacts, sizeText, sliceFields, slicesTable } from '../output/slices-table.ts';
import { UsageError } from '../usage-error.ts';

type SliceOptions = {
  context: string;
  before?: string;
  slice?: string[];
  engine?: number;
  pool?: string;
  dryRun?: true;
  expired?: true;
  confirm?: string;
  json?: true;
};

export function registerSlices(program: Command): void {
  const slices = program
    .command('slices')
    .description('manage storage: list, archive, restore and drop slices of a context');
  selecting(slices.command('list').description('show the slices and where they are stored'))
    .option('--pool <name>', 'only slices that are archived in this pool', parseName)
    .action(list);
  acting(slices.command('archive').description('move slices from the database to a pool'))
    .option('--pool <name>', 'the target; may be left out if there is one pool', parseName)
    .action((options: SliceOptions) => act('archive', options));
  acting(slices.command('restore').description('restore archived slices, byte for byte'))
    .option('--pool <name>', 'only slices that are archived in this pool', parseName)
    .action((options: SliceOptions) => act('restore', options));
  acting(slices.command('drop').description('delete slices for good, including archived ones'))
    .option('--pool <name>', 'only slices that are archived in this pool', parseName)
    .addOption(
      new Option(
        '--expired',
        "slices older than the context's retention_days, including archived ones; without " +
          '--engine and --pool also alert events that ended before then',
      ).conflicts(['before', 'slice']),
    )
    .option('--confirm <word>', "the context's name, to confirm the deletion")
    .action((options: SliceOptions) => act('drop', options));
}

const selecting = (command: Command): Command =>
  command
    .requiredOption('--context <name>', 'the context of the slices', parseName)
    .option('--before <time>', `slices that ended by this time; ${MOMENT_FORM}`)
    .addOption(
      new Option('--slice <name...>', 'slices by name, such as slice-20260715-1000')
        .argParser(parseNames)
        .conflicts('before'),
    )
    .option('--engine <n>', 'only slices of this engine instance (default: all)', parseEngine)
    .option('--json', 'print each slice as a line of JSON');

const acting = (command: Command): Command =>
  selecting(command).option('--dry-run', 'show what would be done, and do nothing');

async function list(options: SliceOptions): Promise<void> {
  const selection = selectionOf(options);
  const { slices, facts, now } = await withDatabase(({ url, signal }) =>
    withArchiveSession({ databaseUrl: url, context: options.context, signal }, async (session) => ({
      slices: await selectKept(session, selection),
      facts: await factsOf(session),
      now: session.now(),
    })),
  );
  const lines = options.json
    ? slices.map((slice) => JSON.stringify(sliceFields(slice, now, facts)))
    : slicesTable(slices, now, facts);
  for (const line of lines) console.log(line);
}

const factsOf = async ({ connection, contextId, now }: ArchiveSession): Promise<SliceFacts> => ({
  segments: await loadSliceSegments(connection, contextId, now()),
  losses: await selectSliceLosses(connection, contextId),
});

async function act(action: SliceAction, options: SliceOptions): Promise<void> {
  const { context, before, slice, expired } = options;
  if (before === undefined && slice === undefined && !expired) {
    const or = action === 'drop' ? ', --slice NAME or --expired' : ' or --slice NAME';
    throw new UsageError(`say which slices to ${action}: give --before TIME${or}`);
  }
  // For archive, --pool is the destination, and no slice to archive is in it yet.
  const selection = { ...selectionOf(options), ...(action === 'archive' && { pool: null }) };
  const progress = byteProgress();
  await withDatabase(({ url, signal }) =>
    withArchiveSession(
      {
        databaseUrl: url,
        context,
        signal,
        onBytes: progress.update,
        onWaiting: () => console.error(`waiting for other work on ${context} to end`),
      },
      (session) => actOn(session, action, { options, selection, signal, progress }),
    ).finally(progress.stop),
  );
}

type Acting = {
  readonly options: SliceOptions;
  readonly selection: SliceSelection;
  readonly signal: AbortSignal;
  readonly progress: { readonly stop: () => void };
};

async function actOn(session: ArchiveSession, action: SliceAction, acting: Acting): Promise<void> {
  const { options, signal } = acting;
  const done: number[] = [];
  try {
    await actOnSlices(session, action, acting, done);
  } finally {
    // Even if there was nothing to do: an earlier command may have left something behind.
    if (!options.dryRun && !signal.aborted) await finish(session, action, done);
  }
}

/** Adds the ids of the slices that were acted on to `done`. */
async function actOnSlices(
  session: ArchiveSession,
  action: SliceAction,
  { options, selection, signal, progress }: Acting,
  done: number[],
): Promise<void> {
  const before = options.expired ? await expiredBy(session) : selection.before;
  const pool = action === 'archive' ? await findPool(session, options.pool ?? null) : null;
  const plan = await planSlices(session, action, { ...selection, before });
  for (const { slice, reason } of plan.leftOut) console.error(`${slice.name} ${reason}: left out`);
  const { connection, contextId } = session;
  const endedBy = takesEvents(options) ? before : null;
  const events = endedBy === null ? 0 : await countExpiredEvents(connection, contextId, endedBy);
  const isNothing = plan.slices.length === 0 && events === 0;
  if (options.expired) await tellOfKept(session, plan);
  if (options.dryRun || isNothing)
    return showPlan(plan, action, { options, now: session.now(), pool, events });
  if (action === 'drop') {
    const what = `Dropping ${summary(plan.slices, events)} of context ${session.context}`;
    await confirm(what, { word: session.context, given: options.confirm, signal });
  }
  const failed = new FailedRestores(session, plan);
  for (const slice of plan.slices) {
    try {
      const line = await actOnSlice(session, action, { slice, pool, json: options.json ?? false });
      progress.stop();
      if (line !== null) console.log(line);
      done.push(slice.sliceId);
    } catch (error) {
      progress.stop();
      if (action !== 'restore') throw error;
      await failed.note(slice, error, options);
    }
  }
  failed.end();
  if (events > 0 && endedBy !== null) {
    console.log(eventsLine(await dropExpiredEvents(session, endedBy), options));
  }
}

/** Archives are independent of each other: one that is damaged does not keep others away. */
class FailedRestores {
  readonly #session: ArchiveSession;
  readonly #all: number;
  #count = 0;

  constructor(session: ArchiveSession, { slices }: SlicePlan) {
    this.#session = session;
    this.#all = slices.length;
  }

  /** Names a slice that could not be restored. Errors: no other can be restored either. */
  async note({ name }: NamedSlice, error: unknown, { json }: SliceOptions): Promise<void> {
    this.#session.signal?.throwIfAborted();
    if (this.#all === 1 || !(await isAlive(this.#session))) throw error;
    this.#count += 1;
    const reason = reasonOf(error);
    if (json) console.log(JSON.stringify({ notRestored: name, reason }));
    else console.error(`${name} was not restored: ${reason}`);
  }

  end(): void {
    if (this.#count === 0) return;
    const what = `${count(this.#count)} of ${counted(this.#all, 'slice')}`;
    throw new Error(`${what} could not be restored, and stay archived: the reasons are above`);
  }
}

const isAlive = ({ connection }: ArchiveSession): Promise<boolean> =>
  selectClock(connection).then(
    () => true,
    () => false,
  );

/**
 * Tells which slices only this command drops, as it goes by the clock alone: their context may have
 * no newer data because its feed has ended.
 */
async function tellOfKept(
  { connection, contextId }: ArchiveSession,
  { slices }: SlicePlan,
): Promise<void> {
  const since = (await selectKeptSince(connection, contextId)) ?? 0;
  const kept = slices.filter(({ endsAt }) => endsAt > since);
  if (kept.length === 0) return;
  console.error(
    `the server would keep ${counted(kept.length, 'slice')} of these, because the context has no ` +
      `newer data: ${kept.map(({ name }) => name).join(', ')}`,
  );
}

/** Returns whether to drop events too: they belong to no engine instance and to no pool. */
const takesEvents = ({ expired, engine, pool }: SliceOptions): boolean =>
  expired === true && engine === undefined && pool === undefined;

const eventsLine = (dropped: number, { json }: SliceOptions): string =>
  json
    ? JSON.stringify({ droppedEvents: dropped })
    : `${counted(dropped, 'event')} of alerts ${dropped === 1 ? 'was' : 'were'} dropped`;

/** Acts on one slice and returns a line about it; null if another process did it first. */
async function actOnSlice(
  session: ArchiveSession,
  action: SliceAction,
  { slice, pool, json }: { slice: NamedSlice; pool: ArchivePool | null; json: boolean },
): Promise<string | null> {
  const { name } = slice;
  if (action === 'drop') {
    if ((await dropSlice(session, slice)) === null) return null;
    const wasArchived = slice.archived;
    return json ? JSON.stringify({ dropped: name, wasArchived }) : `${name} was dropped`;
  }
  if (action === 'restore') {
    const restored = await restoreSlice(session, slice);
    if (restored === null) return null;
    const { rows } = restored;
    return json
      ? JSON.stringify({ restored: name, rows })
      : `${name} was restored: ${counted(rows, 'row')}, and everything derived from them`;
  }
  const archived = pool && (await archiveSlice(session, slice, pool));
  if (archived === null) return null;
  const { rows, bytes, digest, file } = archived;
  return json
    ? JSON.stringify({ archived: name, rows, bytes, sha256: digest, path: file })
    : `${name} was archived: ${counted(rows, 'row')} in ${sizeText(bytes)}, ${file}`;
}

/** Cleans up after the actions, which stay done even if this fails: others clean up later. */
async function finish(
  session: ArchiveSession,
  action: SliceAction,
  done: readonly number[],
): Promise<void> {
  const taken = action === 'restore' ? [] : done;
  const { partitions, refused, files } = await finishArchiving(session, { taken });
  reportRefused(refused);
  if (partitions.length > 0) {
    console.error(
      `the space of ${counted(partitions.length, 'slice')} is freed when readers that began ` +
        'earlier are done: by the server, the next import or the next of these commands',
    );
  }
  for (const { file, reason } of files) {
    console.error(
      `${file} could not be removed (${reason}): the next of these commands tries again`,
    );
  }
}

type Shown = {
  readonly options: SliceOptions;
  /** The database's clock, epoch seconds. */
  readonly now: number;
  readonly pool: ArchivePool | null;
  readonly events: number;
};

function showPlan(
  { slices }: SlicePlan,
  action: SliceAction,
  { options, now, pool, events }: Shown,
): void {
  const would = { archive: 'wouldArchive', restore: 'wouldRestore', drop: 'wouldDrop' }[action];
  if (options.json) {
    for (const { name } of slices) console.log(JSON.stringify({ [would]: name }));
    if (events > 0) console.log(JSON.stringify({ wouldDropEvents: events }));
  } else if (slices.length === 0 && events === 0) {
    console.log(`There is nothing to ${action}.`);
  } else {
    const to = pool ? ` to ${pool.path}` : '';
    const end = slices.length === 0 ? '' : ':';
    console.log(`Would ${action} ${summary(slices, events)}${to}${end}`);
    if (slices.length === 0) return;
    for (const line of slicesTable(slices, now)) console.log(line);
  }
}

function summary(slices: readonly NamedSlice[], events: number): string {
  const besides = `${counted(events, 'event')} of alerts`;
  if (slices.length === 0) return besides;
  const archived = slices.filter((slice) => slice.archived).length;
  const bytes = slices.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  const ofThem = archived > 0 ? `${count(archived)} of them archived, ` : '';
  const all = `${counted(slices.length, 'slice')} (${ofThem}${sizeText(bytes)})`;
  return events > 0 ? `${all} and ${besides}` : all;
}

/** Returns which slices the options select, by name or by time. */
function selectionOf({ before, slice, engine, pool }: SliceOptions): SliceSelection {
  const at = before === undefined ? null : readMoment('--before', before);
  return { before: at, names: slice ?? null, engine: engine ?? null, pool: pool ?? null };
}

/** Returns the time by which slices must have ended to be expired, by the clock alone. */
async function expiredBy({ retentionDays, context, connection }: ArchiveSession): Promise<number> {
  if (retentionDays === null) {
    throw new Error(
      `Context ${context} keeps everything: declare its retention_days with \`countergraph apply\``,
    );
  }
  const { database, difference } = await compareClocks(connection, () =>
    Math.floor(Date.now() / 1000),
  );
  if (difference !== null) {
    throw new Error(`Nothing is dropped for its age, because two clocks differ: ${difference}`);
  }
  return keptSince(retentionDays, database);
}

/** A progress bar for each slice, as its bytes are written or read. */
function byteProgress() {
  let of: string | null = null;
  let bar: ReturnType<typeof showSteps> | null = null;
  return {
    update({ startsAt, engine }: SliceIdentity, done: number, bytes: number) {
      const name = sliceName(startsAt, engine);
      if (of !== name) {
        bar?.stop();
        bar = showSteps(`bytes of ${name}`);
        of = name;
      }
      bar?.update(done, Math.max(1, bytes));
    },
    stop() {
      bar?.stop();
      of = null;
      bar = null;
    },
  };
}

const DAY_SECONDS = 86_400;

/** Returns the time by which a slice must have ended to be older than its context keeps it. */
const keptSince = (retentionDays: number, now: EpochSeconds): EpochSeconds =>
  now - retentionDays * DAY_SECONDS;
