import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '../../../postgres/start-embedded.ts';

/** Nothing that tests write has to survive a power cut. */
export const CARELESS_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/** A new temporary folder that an unprivileged server can enter too. */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  await chmod(folder, 0o755);
  return folder;
}

export type TestServer = EmbeddedServer & { remove(): Promise<void> };

/** An embedded server with a folder of its own; `remove` stops it and removes the folder. */
export async function startTestServer(
  settings: Readonly<Record<string, string>> = CARELESS_SETTINGS,
): Promise<TestServer> {
  const folder = await makeTemporaryFolder();
  return startInFolder(folder, settings);
}

/** Starts a server on a folder's data, or on new data if there are none; it owns the folder. */
export async function startInFolder(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<TestServer> {
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await startEmbedded({ dataDir: dataDirIn(folder), settings });
    return { ...server, remove: () => server.stop().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

export const dataDirIn = (folder: string): string => join(folder, 'data');
