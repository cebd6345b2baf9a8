import { migrate } from '../db/migrate.ts';
import type { TrustedDocuments } from '../server/documents.ts';
import { createLog } from '../server/log.ts';
import { openTracing } from '../server/open-tracing.ts';
import { DocumentsError, readDocuments } from '../server/read-documents.ts';
import { readSettings } from '../server/settings.ts';
import { startServer } from '../server/start-server.ts';
import { convertAtStart } from './convert-at-start.ts';
import { prepareDemo } from './demo.ts';
import { listenForSignals } from './listen-for-signals.ts';
import { openDatabase } from './open-database.ts';
import { UsageError } from './usage-error.ts';
import { welcome } from './welcome.ts';

/** Serves until it is told to end; closes what it opened in the opposite order, come what may. */
export async function serve(demoAsked: boolean, documentsFile: string | null): Promise<void> {
  const settings = readSettings(process.env);
  const documents = documentsFile ? await trustedDocuments(documentsFile) : new Map();
  const signals = listenForSignals();
  try {
    const log = createLog(settings.logLevel, process.stderr);
    const tracing = await openTracing(process.env, log);
    const database = await openDatabase(settings, { role: 'serve', log: (line) => log.info(line) });
    try {
      log.info({ database: database.name }, 'using this database');
      const databaseUrl = database.url;
      const { from, to } = await migrate(databaseUrl);
      if (from !== to) log.info({ from, to }, 'the schema was migrated');
      signals.signal.throwIfAborted();
      const starting = { databaseUrl, settings, log, signal: signals.signal };
      const port = await convertAtStart(starting);
      signals.signal.throwIfAborted();
      const demo = { setting: settings.demo, asked: demoAsked, log, signal: signals.signal };
      const { credentials, isLeftOut } = database.embedded
        ? await prepareDemo({ url: databaseUrl, ...demo })
        : { credentials: null, isLeftOut: false };
      const explorer = { credentials };
      const server = await startServer({
        settings: { ...settings, port },
        databaseUrl,
        log,
        explorer,
        documents,
        tracing,
        databaseRestarts: database.restarts,
        startsThread: true,
      });
      try {
        console.log(welcome(server.url, { demo: credentials, isLeftOut }, settings));
        await signals.aborted;
        log.info('ending: no more requests are taken, those begun are answered');
      } finally {
        await server.close();
        await tracing?.close();
      }
    } finally {
      await database.close();
    }
  } finally {
    signals.close();
  }
}

async function trustedDocuments(file: string): Promise<TrustedDocuments> {
  try {
    return await readDocuments(file);
  } catch (error) {
    // A file with mistakes is a mistake of the call: exit status 2.
    throw error instanceof DocumentsError ? new UsageError(error.message) : error;
  }
}
