import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataFolder } from '../../postgres/data-folder.ts';
import { giveTreeTo } from '../../postgres/server-user.ts';
import { startEmbedded } from '../../postgres/start-embedded.ts';
import { withClient } from '../support/database/database.ts';
import { CARELESS_SETTINGS, makeTemporaryFolder } from '../support/database/test-server.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let systemDir: string;
let checkout: string;
let dataDir: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  systemDir = join(folder, 'system');
  checkout = join(folder, 'checkout');
  dataDir = join(checkout, '.countergraph');
  await mkdir(checkout);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('the data of an embedded server', () => {
  test('are in the configured folder, which is private to the user of the server', async () => {
    const place = await openDataFolder(dataDir, systemDir);
    expect(place.root).toBe(dataDir);
    expect(await modeOf(dataDir)).toBe(0o700);
    expect((await stat(dataDir)).uid).toBe(place.user?.uid ?? process.getuid?.());
    expect(place.user).toEqual(isRoot ? { uid: 65_534, gid: 65_534 } : undefined);
  });

  test.runIf(isRoot)(
    'belong to the owner of their folder, where it exists and has one',
    async () => {
      await mkdir(dataDir, { mode: 0o700 });
      await chown(dataDir, 1, 1);
      expect((await openDataFolder(dataDir, systemDir)).user).toEqual({ uid: 1, gid: 1 });
      // PostgreSQL must know the name of its user.
      await chown(dataDir, 54_321, 54_321);
      expect((await openDataFolder(dataDir, systemDir)).user?.uid).toBe(65_534);
    },
  );

  test('are reachable whatever the umask is when their folder is created', async () => {
    const umask = process.umask(0o077);
    try {
      const place = await openDataFolder(join(folder, 'a', 'b', 'data'), systemDir);
      expect(place.root).toBe(join(folder, 'a', 'b', 'data'));
      expect(await modeOf(join(folder, 'a', 'b'))).toBe(0o755);
    } finally {
      process.umask(umask);
    }
  });

  test('have one location, whichever path leads to them', async () => {
    await symlink(checkout, join(folder, 'link'));
    await chmod(checkout, 0o700);
    const direct = await openDataFolder(dataDir, systemDir);
    const linked = await openDataFolder(join(folder, 'link', '.countergraph'), systemDir);
    expect(linked.root).toBe(direct.root);
  });

  test('are accessible once their folder exists, so that all users find the same one', async () => {
    const opened = openDataFolder(dataDir, systemDir);
    while (!existsSync(dataDir)) {
      await setImmediate();
    }
    const { uid } = statSync(dataDir);
    const place = await opened;
    expect(uid).toBe(place.user?.uid ?? process.getuid?.());
    expect(await readdir(checkout)).toEqual(['.countergraph']);
    expect((await openDataFolder(dataDir, systemDir)).root).toBe(place.root);
  });

  test('go elsewhere when the checkout is closed to the server user, and stay there', async () => {
    await chmod(checkout, 0o700);
    const options = { dataDir, systemDir, settings: CARELESS_SETTINGS };
    const first = await startEmbedded(options);
    await withClient(first.url, (client) => client.query('create table kept ()'));
    await first.stop();
    // Without root, the server runs as the user who owns the checkout.
    expect(dirname(first.dataDir)).toBe(isRoot ? systemDir : checkout);
    await chmod(checkout, 0o755);
    const second = await startEmbedded(options);
    expect(second).toMatchObject({ dataDir: first.dataDir, created: false });
    await withClient(second.url, (client) => client.query('select from kept'));
    await second.stop();
  });

  test('in a folder that is closed later are not replaced by new ones elsewhere', async () => {
    const place = await openDataFolder(dataDir, systemDir);
    await mkdir(place.pgdata, { recursive: true });
    await chmod(checkout, 0o700);
    const opened = openDataFolder(dataDir, systemDir);
    await (isRoot
      ? expect(opened).rejects.toThrow(/cannot be reached by uid 65534/)
      : expect(opened).resolves.toMatchObject({ root: dataDir }));
  });

  test('in a folder that is closed later stay reachable while their server runs', async () => {
    const options = { dataDir, systemDir, settings: CARELESS_SETTINGS };
    const first = await startEmbedded(options);
    await chmod(checkout, 0o700);
    const second = await startEmbedded(options);
    expect(second).toMatchObject({ dataDir, adopted: true });
    await withClient(second.url, (client) => client.query('create table reached ()'));
    await second.stop();
    await withClient(first.url, (client) => client.query('select from reached'));
    await first.stop();
  });

  test('need a folder, not a file', async () => {
    await writeFile(dataDir, 'not a folder');
    await expect(openDataFolder(dataDir, systemDir)).rejects.toThrow(
      `${dataDir} is not a folder: set COUNTERGRAPH_DATA_DIR`,
    );
  });

  test('need a folder that can be written to', async () => {
    await mkdir(dataDir, { mode: 0o555 });
    const opened = openDataFolder(dataDir, systemDir);
    // Root may write everywhere.
    await (isRoot
      ? expect(opened).resolves.toMatchObject({ root: dataDir })
      : expect(opened).rejects.toThrow(/cannot be written to.*set COUNTERGRAPH_DATA_DIR/));
  });

  test('belong to the user who created them, even when root opens them later', async () => {
    const place = await openDataFolder(dataDir, systemDir);
    await mkdir(place.pgdata, { recursive: true });
    const owner = isRoot ? { uid: 12_345, gid: 12_346 } : undefined;
    await giveTreeTo(owner, dataDir);
    const { user } = await openDataFolder(dataDir, systemDir);
    expect(user).toEqual(owner);
  });
});
