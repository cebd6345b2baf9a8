import { startEmbedded } from '../db/embedded/start-embedded.ts';
import type { Settings } from '../server/settings.ts';

export type OpenDatabase = {
  /** With the password: not for logs. */
  readonly url: string;
  readonly embedded: boolean;
  /** Whether the embedded server's data were made just now; false for a DATABASE_URL. */
  readonly firstStart: boolean;
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
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  { role, log = (line) => console.error(line) }: OpenOptions,
): Promise<OpenDatabase> {
  if (settings.databaseUrl !== null) {
    const close = async () => undefined;
    const none = { embedded: false, firstStart: false, restarts: () => 0 };
    return { url: settings.databaseUrl, ...none, close };
  }
  const server = await startEmbedded({
    dataDir: settings.dataDir,
    ...(role === 'serve' ? { log, keep: true } : {}),
  });
  const { url, created: firstStart, restarts, stop: close } = server;
  return { url, embedded: true, firstStart, restarts, close };
}
