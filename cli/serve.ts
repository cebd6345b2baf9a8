import { availableParallelism } from 'node:os';
import type { Writable } from 'node:stream';
import { migrate, requireMigrated } from '../db/migrate.ts';
import { type CollectTarget, collectConflict } from '../domain/collect-target.ts';
import { LIMITS } from '../domain/limits.ts';
import { endedWithin } from '../server/ended-within.ts';
import { exitOnceWritten } from '../server/exit-once-written.ts';
import type { ParentOptions, RunningProcesses } from '../server/processes/parent.ts';
import type { TrustedDocuments } from '../server/service/service.ts';
import { readSettings, type Settings } from '../server/settings/settings.ts';
import type { ServingOptions } from '../server/start-serving.ts';
import { createLog, type Logger, logOutput } from '../server/telemetry/log.ts';
import { openTracing } from '../server/telemetry/open-tracing.ts';
import { startCollectors } from './collectors.ts';
import { convertAtStart, type StartOptions } from './database/convert-at-start.ts';
import { type OpenDatabase, openDatabase } from './database/open-database.ts';
import { prepareDemo } from './demo.ts';
import { listenForSignals } from './listen-for-signals.ts';
import { welcome } from './output/welcome.ts';
import { UsageError } from './usage-error.ts';

export type ServeOptions = {
  readonly demo: boolean;
  readonly documentsFile: string | null;
  /** null: as many as the settings say. */
  readonly processes: number | null;
  /** Contexts to fill beside the server, instead of those that the settings name. */
  readonly collect: readonly CollectTarget[] | null;
  /** Whether the schema is brought up to date first. */
  readonly migrates: boolean;
};

/**
 * Serves until a signal arrives or the server fails. In any case closes what it opened, in reverse
 * order, and then ends the process, whatever is still waiting for something. A later signal
 * abandons requests in progress.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { demo, documentsFile, migrates } = options;
  const settings = withOptions(readSettings(process.env), options);
  const conflict = collectConflict(settings.collect);
  if (conflict !== null) throw new UsageError(conflict);
  const documents = documentsFile ? await trustedDocuments(documentsFile) : new Map();
  const signals = listenForSignals();
  try {
    const output = logOutput(process.stderr);
    const log = openLog(settings, output);
    const tracing = await openTracing(process.env, log);
    const { signal } = signals;
    const database = await openDatabase(settings, {
      role: 'serve',
      log: (line) => log.info(line),
      warn: (line) => log.warn(line),
      signal,
    });
    try {
      log.info({ database: database.name }, 'using this database');
      const preparing = prepare(database, { settings, demo, migrates, log, signal });
      const { port, ...found } = await orInterrupted(preparing, signals);
      const starting = start({
        settings: { ...settings, port },
        databaseUrl: database.url,
        log,
        logOutput: output,
        explorer: { credentials: found.demo },
        documents,
        signal,
        tracing,
        databaseRestarts: database.restarts,
        startsThread: true,
      });
      const server = await orInterrupted(starting, signals);
      let collected: Promise<void> | null = null;
      try {
        console.log(welcome(server.url, found, settings));
        const collectors = startCollectors({ targets: settings.collect, log });
        try {
          await Promise.race([signals.aborted, server.failed]);
        } finally {
          collected = collectors.close();
        }
        log.info('shutting down: no more requests are accepted, those in progress are answered');
      } finally {
        const closed = Promise.all([collected, server.close().then(() => tracing?.close())]);
        await orAbandoned(closed, signals.abandoned, server);
      }
    } finally {
      await database.close();
    }
  } finally {
    signals.close();
    // A connection to a database that does not answer would keep the process alive.
    setImmediate(() => void exitOnceWritten());
  }
}

type PrepareOptions = Pick<ServeOptions, 'demo' | 'migrates'> & Omit<StartOptions, 'databaseUrl'>;

/** Prepares the database. Returns the port to serve on, and what the welcome says of the demo. */
async function prepare(
  { url, embedded }: OpenDatabase,
  { demo: asked, migrates, ...options }: PrepareOptions,
) {
  const { settings, log, signal } = options;
  if (migrates) {
    const { from, to } = await migrate(url);
    if (from !== to) log.info({ from, to }, 'the schema was migrated');
  } else await requireMigrated(url);
  signal.throwIfAborted();
  const port = await convertAtStart({ databaseUrl: url, ...options });
  signal.throwIfAborted();
  if (!embedded) return { port, demo: null, isLeftOut: false };
  const wanted = { setting: settings.demo, asked, log, signal };
  const { credentials, isLeftOut } = await prepareDemo({ url, ...wanted });
  return { port, demo: credentials, isLeftOut };
}

/**
 * Waits for work that a signal should end. If it does not end soon after, or at a later signal, it
 * is abandoned: it may be waiting for a database that does not answer.
 */
async function orInterrupted<T>(
  work: Promise<T>,
  { signal, aborted, abandoned }: ReturnType<typeof listenForSignals>,
): Promise<T> {
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  const overdue = aborted.then(async () => {
    if (!(await endedWithin(settled, LIMITS.processEndMs))) throw signal.reason;
    return work;
  });
  try {
    return await Promise.race([work, overdue, abandoned]);
  } catch (error) {
    // Aborted work fails in many ways, but the signal is the reason for all of them.
    signal.throwIfAborted();
    throw error;
  }
}

/** Waits until the server has closed, or kills its processes at a later signal. */
async function orAbandoned(
  closed: Promise<unknown>,
  abandoned: Promise<never>,
  server: RunningProcesses,
): Promise<void> {
  try {
    await Promise.race([closed, abandoned]);
  } catch (error) {
    server.kill();
    throw error;
  }
}

/** The command line overrides the settings. */
const withOptions = (
  settings: Settings,
  { processes, collect }: Pick<ServeOptions, 'processes' | 'collect'>,
): Settings => ({
  ...settings,
  processes: processes ?? settings.processes,
  collect: collect ?? settings.collect,
});

/** Opens the log. With several processes, each line says which process it comes from. */
function openLog({ logLevel, processes }: Settings, output: Writable): Logger {
  const base = processes > 1 ? { process: 'parent', pid: process.pid } : null;
  const log = createLog(logLevel, output, base);
  const processors = availableParallelism();
  if (processes > processors) {
    log.warn(
      { processes, processors },
      'more processes than processors do not increase throughput',
    );
  }
  return log;
}

/** Starts serving in this process or in several others, and loads only the code for that. */
async function start(options: ServingOptions & ParentOptions): Promise<RunningProcesses> {
  if (options.settings.processes > 1) {
    const { startProcesses } = await import('../server/processes/parent.ts');
    return startProcesses(options);
  }
  const { startServer } = await import('../server/start-server.ts');
  const { url, close } = await startServer(options);
  return {
    url,
    close,
    failed: new Promise(() => undefined),
    // This process ends anyway.
    kill: () => undefined,
  };
}

async function trustedDocuments(file: string): Promise<TrustedDocuments> {
  const { DocumentsError, readDocuments } = await import('../server/graphql/documents.ts');
  try {
    return await readDocuments(file);
  } catch (error) {
    // An invalid file is a usage error: exit status 2.
    throw error instanceof DocumentsError ? new UsageError(error.message) : error;
  }
}
