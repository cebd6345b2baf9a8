import { isAbsolute, resolve } from 'node:path';
import { describeDatabase } from '../../db/describe-database.ts';
import { startEmbedded } from '../../db/embedded/start-embedded.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { Settings } from '../../server/settings/settings.ts';
import { findOtherData, findUnreadSettings } from './find-other-data.ts';

export type OpenDatabase = {
  /** Which one it is, for people, without a password. */
  readonly name: string;
  /** With the password: not for logs. */
  readonly url: string;
  readonly embedded: boolean;
  /** How often the embedded server died and was started again, for `serve`. */
  readonly restarts: () => number;
  close(): Promise<void>;
};

export type OpenOptions = {
  /** `serve` says what becomes of the embedded server; a command keeps quiet about it. */
  readonly role: 'serve' | 'command';
  readonly log?: (line: string) => void;
};

/** The database that the settings name, or the embedded one: started, or used if it is running. */
export async function openDatabase(
  { databaseUrl, dataDir, processes }: Pick<Settings, 'databaseUrl' | 'dataDir' | 'processes'>,
  { role, log = (line) => console.error(line) }: OpenOptions,
): Promise<OpenDatabase> {
  if (databaseUrl !== null) {
    const none = { embedded: false, restarts: () => 0, close: async () => undefined };
    return { url: databaseUrl, name: describeDatabase(databaseUrl), ...none };
  }
  const isWarned = await warnOfOther(dataDir, log);
  const server = await startEmbedded({
    dataDir,
    ...(role === 'serve' ? { log, keep: true } : {}),
    ...(role === 'serve' && processes > 1 ? { settings: settingsFor(processes) } : {}),
  });
  if (server.created && role === 'command' && !isWarned) warnOfFolder(dataDir, log);
  return {
    name: `embedded PostgreSQL in ${server.dataDir}${server.created ? ', made just now' : ''}`,
    url: server.url,
    embedded: true,
    restarts: server.restarts,
    close: server.stop,
  };
}

/** Each process has a few connections, however many share the work: beside those of imports. */
const settingsFor = (processes: number) => ({
  max_connections: String(100 + 4 * processes),
});

/** Before a database is made in one folder by somebody who may mean that of another. */
async function warnOfOther(dataDir: string, log: (line: string) => void): Promise<boolean> {
  const settings = findUnreadSettings();
  if (settings) log(`warning: ${settings} is not read, as this is another folder`);
  const other = await findOtherData(dataDir);
  if (other === null) return false;
  const { folder, data } = other;
  log(
    `warning: there is a database in ${data}, and another one is made in ${resolve(dataDir)}: ` +
      `to use the first, run commands in ${folder} or set COUNTERGRAPH_DATA_DIR=${shellWord(data)}`,
  );
  return true;
}

function warnOfFolder(dataDir: string, log: (line: string) => void): void {
  if (isAbsolute(dataDir)) return;
  const data = resolve(dataDir);
  log(
    `warning: a database was made in ${data}; a command in another folder makes one there: ` +
      `set COUNTERGRAPH_DATA_DIR=${shellWord(data)} to use this one everywhere`,
  );
}
