import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DataFolder, folderAt } from '../../postgres/data-folder.ts';
import { type EmbeddedServer, startEmbedded } from '../../postgres/start-embedded.ts';
import { withClient } from '../support/database/database.ts';
import { CARELESS_SETTINGS, makeTemporaryFolder } from '../support/database/test-server.ts';
import {
  isRunning,
  killServer,
  postmasterPid,
  startStranger,
} from '../support/programs/processes.ts';

let folder: string;
let dataDir: string;
let place: DataFolder;
let server: EmbeddedServer;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  dataDir = join(folder, 'data');
  place = folderAt(dataDir, undefined);
});

beforeEach(async () => {
  server = await start();
  await withClient(server.url, async (client) => {
    await client.query('drop table if exists kept');
    await client.query('create table kept as select 42 as n');
  });
});

afterEach(() => server.stop());

afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () =>
  startEmbedded({ dataDir, settings: { ...CARELESS_SETTINGS, synchronous_commit: 'on' } });

async function expectKeptData({ url }: EmbeddedServer): Promise<void> {
  const { rows } = await withClient(url, (client) => client.query('select n from kept'));
  expect(rows).toEqual([{ n: 42 }]);
}

/** A record of a process that has ended. */
function goneRecord(): string {
  return JSON.stringify({ pid: spawnSync('true').pid, identity: 'long ago' });
}

/** As if every process that used the server had been killed with SIGKILL. */
async function orphanServer(): Promise<void> {
  for (const name of await readdir(place.holders)) {
    await writeFile(join(place.holders, name), goneRecord());
  }
}

describe('after a crash, an embedded server starts again without help', () => {
  test('when the postmaster and its children were killed', async () => {
    killServer(await postmasterPid(dataDir));
    server = await start();
    expect(server).toMatchObject({ adopted: false, created: false });
    await expectKeptData(server);
  });

  test('when only the postmaster was killed and its children are still ending', async () => {
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    server = await start();
    expect(server.adopted).toBe(false);
    await expectKeptData(server);
  });

  test('when the pid in postmaster.pid now belongs to another live process', async () => {
    const pid = await postmasterPid(dataDir);
    killServer(pid);
    const stranger = await startStranger(dataDir);
    try {
      const file = join(place.pgdata, 'postmaster.pid');
      await writeFile(file, (await readFile(file, 'utf8')).replace(`${pid}`, `${stranger.pid}`));
      server = await start();
      expect(server.adopted).toBe(false);
      await expectKeptData(server);
      expect(isRunning(stranger.pid)).toBe(true);
    } finally {
      await stranger.end();
    }
  });

  test('when killed processes have left the lock and the list of users behind', async () => {
    killServer(await postmasterPid(dataDir));
    await orphanServer();
    await writeFile(place.lockFile, goneRecord());
    server = await start();
    await expectKeptData(server);
    expect(await readdir(place.root)).not.toContain('lock');
  });

  test('when a power cut left its lock and its list of users empty', async () => {
    killServer(await postmasterPid(dataDir));
    await writeFile(place.lockFile, '');
    for (const name of await readdir(place.holders)) {
      await writeFile(join(place.holders, name), '');
    }
    server = await start();
    await expectKeptData(server);
  });
});

describe('a server whose users were all killed', () => {
  test('is adopted by the next user, and stopped by it', async () => {
    await orphanServer();
    const pid = await postmasterPid(dataDir);
    const next = await start();
    expect(next).toMatchObject({ adopted: true, port: server.port });
    await expectKeptData(next);
    await next.stop();
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(place.holders)).toEqual([]);
  });
});

describe('a set-up that was killed halfway', () => {
  test('leaves a draft that the next start removes', async () => {
    const fresh = folderAt(join(folder, 'fresh'), undefined);
    const draft = join(fresh.root, 'new-0badcafe');
    await mkdir(join(draft, 'cluster', 'pgdata', 'base'), { recursive: true });
    await writeFile(join(draft, 'cluster', 'password'), 'half');
    const second = await startEmbedded({ dataDir: fresh.root, settings: CARELESS_SETTINGS });
    try {
      expect(second.created).toBe(true);
      expect(await readdir(fresh.root)).toEqual(['cluster', 'holders', 'postgres.log']);
    } finally {
      await second.stop();
    }
  });
});
