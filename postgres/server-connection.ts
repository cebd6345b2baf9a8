import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { PatientClient } from '../db/connection/patient-client.ts';
import { sealedUrl } from '../domain/text/database-url.ts';
import type { DataFolder } from './data-folder.ts';
import { readPassword, SUPERUSER } from './init-cluster.ts';
import { isAlive } from './process-identity.ts';
import type { RunningServer } from './running-server.ts';

/** How long connecting may fail: a server that has reported that it is ready may still be busy. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 50;

/** Returns the server's URL. It contains the password: do not log it. */
export async function serverUrl(folder: DataFolder, { port }: RunningServer): Promise<string> {
  const password = await readPassword(folder);
  // Variables such as PGSSLMODE are about other servers.
  return sealedUrl(`postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`);
}

/**
 * Returns whether the server accepts connections; false if it ended instead, as a server that was
 * just killed does.
 */
export async function takesConnections(
  folder: DataFolder,
  server: RunningServer,
): Promise<boolean> {
  const url = await serverUrl(folder, server);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const failure = await tryToConnect(url);
    if (failure === null) {
      return true;
    }
    if (!isAlive(server)) {
      return false;
    }
    if (isRefusal(failure) || performance.now() > deadline) {
      throw new Error(
        `The embedded PostgreSQL in ${folder.root} cannot be used: ${failure.message}`,
        { cause: failure },
      );
    }
    await delay(RETRY_MS);
  }
}

async function tryToConnect(url: string): Promise<Error | null> {
  const client = new PatientClient({ url });
  // The server may also end while the connection is open.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end();
  }
}

/** SQLSTATE class 28, invalid authorization: a retry would fail as well. */
const isRefusal = (error: Error): boolean =>
  error instanceof pg.DatabaseError && (error.code?.startsWith('28') ?? false);
