import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { folderAt } from '../../postgres/data-folder.ts';
import { type EmbeddedServer, startEmbedded } from '../../postgres/start-embedded.ts';
import { withClient } from '../support/database/database.ts';
import { CARELESS_SETTINGS, makeTemporaryFolder } from '../support/database/test-server.ts';
import { commandLineOf, isRunning, postmasterPid } from '../support/programs/processes.ts';

let folder: string;
/** One cluster serves most tests: creating one takes longer than all the rest. */
let dataDir: string;
let started: EmbeddedServer[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const server of started) {
    await server.stop();
  }
  started = [];
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(settings: Record<string, string> = CARELESS_SETTINGS, dir = dataDir) {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const server = await startEmbedded({ dataDir: dir, settings, log });
  started.push(server);
  return { ...server, lines };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() === socket));
    socket.once('error', () => resolve(false));
  });

const show = (url: string, name: string) =>
  withClient(url, async (client) => (await client.query(`show ${name}`)).rows[0][name]);

describe('an embedded server', () => {
  test('is created at the first start, and leaves no process when it is stopped', async () => {
    const server = await start();
    expect(server).toMatchObject({ created: true, adopted: false, dataDir });
    const pid = await postmasterPid(dataDir);
    expect(isRunning(pid)).toBe(true);
    await server.stop();
    expect(isRunning(pid)).toBe(false);
    expect(await answers(server.port)).toBe(false);
    expect(await readdir(folderAt(dataDir, undefined).holders)).toEqual([]);
    await server.stop();
  });

  test('keeps its data and its password from one start to the next', async () => {
    const first = await start();
    await withClient(first.url, (client) => client.query('create table kept as select 42 as n'));
    await first.stop();
    const second = await start();
    expect(second).toMatchObject({ created: false, adopted: false });
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    const { rows } = await withClient(second.url, (client) => client.query('select n from kept'));
    expect(rows).toEqual([{ n: 42 }]);
  });

  test('derives its random password in one iteration at each log-in', async () => {
    const { url } = await start();
    const text = 'select rolpassword from pg_authid where rolname = current_user';
    const { rows } = await withClient(url, (client) => client.query(text));
    expect(rows).toEqual([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$1:/) }]);
  });

  test('is set up for exact text and durable writes by default', async () => {
    const { url } = await start({});
    const wanted = {
      server_encoding: 'UTF8',
      fsync: 'on',
      jit: 'off',
      wal_level: 'replica',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      password_encryption: 'scram-sha-256',
      max_connections: '100',
      max_wal_size: '2GB',
      data_checksums: 'on',
    };
    for (const [name, value] of Object.entries(wanted)) {
      expect({ [name]: await show(url, name) }).toEqual({ [name]: value });
    }
    await withClient(url, async (client) => {
      const { rows } = await client.query(`select lower('ÄÉ') as low, 'a' < 'Z' as by_letter`);
      expect(rows).toEqual([{ low: 'äé', by_letter: false }]);
    });
  });

  test('does not reveal its password in its command line or in logs', async () => {
    const { url, lines } = await start();
    const { password } = new URL(url);
    expect(password).toHaveLength(32);
    const { passwordFile, logFile } = folderAt(dataDir, undefined);
    expect(commandLineOf(await postmasterPid(dataDir))).not.toContain(password);
    expect(await readFile(logFile, 'utf8')).not.toContain(password);
    expect(lines.join('\n')).not.toContain(password);
    expect((await stat(passwordFile)).mode & 0o777).toBe(0o600);
  });

  test('lets nobody in without the password', async () => {
    const { port } = await start();
    const wrong = `postgres://countergraph:wrong@127.0.0.1:${port}/postgres`;
    await expect(withClient(wrong, async () => 'in')).rejects.toThrow(/password authentication/);
  });

  test('fails with the last lines of its own log, and leaves nothing behind', async () => {
    const failed = start({ shared_buffers: 'plenty' });
    await expect(failed).rejects.toThrow(/invalid value for parameter "shared_buffers": "plenty"/);
    expect(await readdir(folderAt(dataDir, undefined).holders)).toEqual([]);
    expect((await start()).created).toBe(false);
  });

  test('whose password file was changed is stopped again, with an error that says so', async () => {
    await (await start()).stop();
    const { passwordFile } = folderAt(dataDir, undefined);
    const password = await readFile(passwordFile);
    await writeFile(passwordFile, 'changed\n');
    await expect(start()).rejects.toThrow(/cannot be used: password authentication failed/);
    await expect(postmasterPid(dataDir)).rejects.toThrow(/ENOENT/);
    await writeFile(passwordFile, password);
  });
});

describe('an embedded server that is already running', () => {
  test('is used as it is, and left running by all but its last user', async () => {
    const owner = await start();
    const borrower = await start();
    expect(borrower).toMatchObject({ adopted: true, created: false, url: owner.url });
    await borrower.stop();
    expect(borrower.lines.at(-1)).toMatch(/left the embedded PostgreSQL running for process \d+/);
    expect(await show(owner.url, 'port')).toBe(String(owner.port));
    await owner.stop();
    expect(await answers(owner.port)).toBe(false);
  });

  test('keeps running for a borrower when its owner stops first', async () => {
    const owner = await start();
    const borrower = await start();
    await owner.stop();
    expect(await show(borrower.url, 'port')).toBe(String(owner.port));
    await borrower.stop();
    expect(await answers(owner.port)).toBe(false);
  });

  test('is created and started once when two users start it at the same time', async () => {
    const fresh = join(folder, 'fresh');
    const both = await Promise.all([
      start(CARELESS_SETTINGS, fresh),
      start(CARELESS_SETTINGS, fresh),
    ]);
    expect(both.map(({ created }) => created).sort()).toEqual([false, true]);
    expect(both[0].url).toBe(both[1].url);
  });
});
