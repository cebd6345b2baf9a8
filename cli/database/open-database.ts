import { isAbsolute, resolve } from 'node:path';
import { describeDatabase } from '../../db/describe-database.ts';
import { hasCode } from '../../domain/has-code.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { startEmbedded } from '../../postgres/start-embedded.ts';
import type { Settings } from '../../server/settings/settings.ts';
import { DISK_FULL_REMEDY } from '../output/disk-full.ts';
import { findOtherData, findUnreadSettings } from './find-other-data.ts';

export type OpenDatabase = {
  /** Name of the database for people, without a password. */
  readonly name: string;
  /** Includes the password: not for logs. */
  readonly url: string;
  readonly embedded: boolean;
  /** How often the embedded server died and was restarted, for `serve`. */
  readonly restarts: () => number;
  close(): Promise<void>;
};

export type OpenOptions = {
  /** `serve` logs what happens to the embedded server; a command does not. */
  readonly role: 'serve' | 'command';
  readonly log?: (line: string) => void;
  /** Receives warnings. */
  readonly warn?: (line: string) => void;
  /** Aborted by a signal that ends the command. */
  readonly signal: AbortSignal;
};

/**
 * Opens the database that the settings name, or the embedded one, which is started unless it is
 * running.
 */
export async function openDatabase(
  { databaseUrl, dataDir, processes }: Pick<Settings, 'databaseUrl' | 'dataDir' | 'processes'>,
  { role, log, warn = (line) => console.error(`warning: ${line}`), signal }: OpenOptions,
): Promise<OpenDatabase> {
  if (databaseUrl !== null) {
    const none = { embedded: false, restarts: () => 0, close: async () => undefined };
    return { url: databaseUrl, name: describeDatabase(databaseUrl), ...none };
  }
  const isWarned = await warnOfOther(dataDir, warn);
  const server = await startEmbedded({
    dataDir,
    ...(log && { log }),
    ...(role === 'serve' ? { warn, keep: true } : {}),
    ...(role === 'serve' && processes > 1 ? { settings: settingsFor(processes) } : {}),
  }).catch((error: unknown) => {
    // A terminal also sends its signals to the programs that set up the server, which then fail.
    signal.throwIfAborted();
    if (!hasCode(error, 'ENOSPC')) throw error;
    const full = `the disk of ${dataDir} is full: ${DISK_FULL_REMEDY}`;
    throw new Error(full, { cause: error });
  });
  if (server.created && role === 'command' && !isWarned) warnOfFolder(dataDir, warn);
  return {
    name: `embedded PostgreSQL in ${server.dataDir}${server.created ? ', just created' : ''}`,
    url: server.url,
    embedded: true,
    restarts: server.restarts,
    close: server.stop,
  };
}

/**
 * Each process needs a few connections, however many processes there are, in addition to those of
 * imports.
 */
const settingsFor = (processes: number) => ({
  max_connections: String(100 + 4 * processes),
});

/**
 * Warns if the user may mean the database of another folder, before one is created in this folder.
 * Returns whether there is such a database.
 */
async function warnOfOther(dataDir: string, warn: (line: string) => void): Promise<boolean> {
  const settings = findUnreadSettings();
  if (settings) warn(`${settings} is not read, because this is another folder`);
  const other = await findOtherData(dataDir);
  if (other === null) return false;
  const { folder, data } = other;
  warn(
    `there is a database in ${data}, and another one is created in ${resolve(dataDir)}: ` +
      `to use the first, run commands in ${folder} or set COUNTERGRAPH_DATA_DIR=${shellWord(data)}`,
  );
  return true;
}

function warnOfFolder(dataDir: string, warn: (line: string) => void): void {
  if (isAbsolute(dataDir)) return;
  const data = resolve(dataDir);
  warn(
    `a database was created in ${data}; a command in another folder creates one there: ` +
      `set COUNTERGRAPH_DATA_DIR=${shellWord(data)} to use this one everywhere`,
  );
}
