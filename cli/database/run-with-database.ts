import { withConnection } from '../../db/connection/with-connection.ts';
import { isCheckout } from '../../db/project-root.ts';
import { selectIsUnused } from '../../db/sql/contexts.ts';
import { readSettings, type Settings } from '../../server/settings/settings.ts';
import { demoCommand } from '../demo-command.ts';
import { listenForSignals } from '../listen-for-signals.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { conversionText, type Preparation, prepareDatabase } from './prepare-database.ts';

/** What a command has to work with. */
export type CommandDatabase = Pick<OpenDatabase, 'url' | 'embedded'> & {
  readonly settings: Settings;
  readonly preparation: Preparation;
  /**
   * Reopens the database after it was away and returns its address. Restarts an embedded server if
   * it is not running.
   */
  readonly reopen: () => Promise<string>;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP: work should end soon, and cleanly. */
  readonly signal: AbortSignal;
};

/**
 * Runs a command's work on the configured database. Opens and migrates the database first, and
 * closes it however the work ends. The first signal asks the work to end; a later one abandons it.
 */
export async function withDatabase<T>(work: (database: CommandDatabase) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env);
  const signals = listenForSignals();
  try {
    const { signal } = signals;
    let database = await openDatabase(settings, { role: 'command', signal });
    const reopen = async () => {
      const before = database;
      // At least one of the two always holds the embedded server, so nobody stops it in between.
      database = await openDatabase(settings, { role: 'command', signal });
      await before.close();
      return database.url;
    };
    try {
      const preparation = await prepareDatabase(database.url, signal);
      signal.throwIfAborted();
      // On standard error, because standard output carries the results.
      console.error(`database: ${database.name}`);
      if (preparation.converted) console.error(conversionText(preparation.converted));
      const { url, embedded } = database;
      const leavesDemo = embedded && (await isForDemo(url, settings));
      const done = work({ url, embedded, settings, preparation, reopen, signal });
      const result = await Promise.race([done, signals.abandoned]);
      if (leavesDemo && !(await isForDemo(database.url, settings))) sayDemoIsLeftOut();
      return result;
    } catch (error) {
      // Aborted work fails in many ways, but the abort is the reason for all of them.
      signal.throwIfAborted();
      throw error;
    } finally {
      await database.close();
    }
  } finally {
    signals.close();
  }
}

/** Returns whether the next `npm start` would create the demo in this database. */
async function isForDemo(databaseUrl: string, { demo }: Settings): Promise<boolean> {
  if (demo !== 'auto' || !isCheckout()) return false;
  return withConnection({ databaseUrl }, 'demo', selectIsUnused);
}

function sayDemoIsLeftOut(): void {
  console.error(
    'note: `npm start` creates the demo only in a database without contexts and users, and this ' +
      `one now has some: \`${demoCommand()}\` creates it alongside them`,
  );
}
