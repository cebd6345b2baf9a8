import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withFolderLock } from '../../postgres/folder-lock.ts';
import {
  isAlive,
  ownRecord,
  parseRecord,
  processIdentity,
} from '../../postgres/process-identity.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  file = join(folder, 'lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a folder lock', () => {
  test('lets one task run at a time, and leaves nothing behind', async () => {
    let working = 0;
    const work = async () => {
      working += 1;
      expect(working).toBe(1);
      await readdir(folder);
      working -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withFolderLock(file, 30_000, work)));
    expect(await readdir(folder)).toEqual([]);
  });

  test('is released when the work fails', async () => {
    const failing = withFolderLock(file, 0, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await withFolderLock(file, 0, async () => 'done')).toBe('done');
  });

  test('that a live process holds is waited for only for a limited time', async () => {
    await writeFile(file, JSON.stringify(ownRecord()));
    await expect(withFolderLock(file, -1, async () => 'done')).rejects.toThrow(
      `lock is held by process ${process.pid}, which does not release it`,
    );
    expect(await readdir(folder)).toEqual(['lock']);
  });

  const gone = spawnSync('true').pid;
  const stale: readonly (readonly [string, string])[] = [
    ['of a process that has ended', JSON.stringify({ pid: gone, identity: 'long ago' })],
    ['of an earlier process with our pid', JSON.stringify({ pid: process.pid, identity: 'old' })],
    ['that a power cut left empty', ''],
    ['that a power cut left half written', '{"pid":1'],
  ];

  test.each(stale)('%s is taken over', async (_, content) => {
    await writeFile(file, content);
    expect(await withFolderLock(file, 0, async () => 'done')).toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the identity of a process', () => {
  test('stays the same while the process lives, and ends with it', async () => {
    const child = spawn('sleep', ['3600'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    const identity = processIdentity(pid);
    expect(identity).not.toBeNull();
    expect(processIdentity(pid)).toBe(identity);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processIdentity(pid)).toBeNull();
  });

  test('is recorded and recognised', () => {
    const record = parseRecord(JSON.stringify(ownRecord()));
    expect(record).toEqual({ pid: process.pid, identity: processIdentity(process.pid) });
    expect(record !== null && isAlive(record)).toBe(true);
    expect(isAlive({ pid: process.pid, identity: 'another time' })).toBe(false);
  });
});
