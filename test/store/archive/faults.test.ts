import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../support/database/database-digest.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import {
  type BuiltProgram,
  buildProgram,
  outcomeOf,
} from '../../support/programs/built-program.ts';
import {
  filesBelow,
  keepingOf,
  makePoolFolder,
  partitionedSlices,
  readingsDigest,
  removeFolder,
} from './keep-support.ts';

const GROUP = guidOf(1);
const OLD = 'slice-20240715-0000';
const NEXT = 'slice-20240716-0000';

let lab: TestService;
let pool: string;
let program: BuiltProgram;
let keeping: ReturnType<typeof keepingOf>;
let original: string;
let answers: unknown;

/** Enough rows with incompressible keys for a file of some 100 kB. */
const LINES: readonly Line[] = Array.from({ length: 4000 }, (_, i) => ({
  group: GROUP,
  key: `key ${(i * 7919) % 4000} ${Math.sin(i)}`,
  ts: T0 + 60 * (i % 1000),
  values: { 0: (i * 104_729) % 1_000_003 },
}));

beforeAll(async () => {
  pool = await makePoolFolder();
  program = await buildProgram();
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper', path: pool }] },
    lines: [...LINES, { group: GROUP, key: 'new', ts: T0 + DAY, values: { 0: 1 } }],
  });
  lab.clock.seconds = T0 + 20 * DAY;
  keeping = keepingOf(lab);
  original = await readingsDigest(lab, 1);
  answers = await toppers();
}, 120_000);

afterAll(async () => {
  await lab.close();
  await program.remove();
  await removeFolder(pool);
});

const toppers = () =>
  lab.topper({ counter_group: GROUP, recentsecs: 9 * DAY, get_percentiles: 95 });

/** Everything is as at the start, and nothing is left over. */
async function expectAllBack(): Promise<void> {
  expect(await readingsDigest(lab, 1)).toBe(original);
  expect(await toppers()).toEqual(answers);
  expect(await keeping.verify()).toMatchObject({ differences: [] });
  expect(await filesBelow(pool)).toEqual([]);
  expect(await lab.sql('select * from archive_leftovers')).toEqual([]);
  expect(await partitionedSlices(lab)).toEqual([1, 2]);
}

const SESSIONS = `select pid, coalesce(wait_event_type = 'Lock', false) as waits
  from pg_stat_activity where application_name = 'countergraph slices'
    and datname = current_database()`;

const sessions = () => lab.sql<{ pid: number; waits: boolean }>(SESSIONS);

/** Starts the command in a separate process. */
const start = (...parameters: string[]): ChildProcess =>
  spawn(process.execPath, [join(program.folder, 'dist/bundle/main.js'), 'slices', ...parameters], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: lab.databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const WHICH = ['--context', CONTEXT, '--slice', OLD];

describe('a command that is killed', { timeout: 120_000 }, () => {
  let locker: pg.Client;

  beforeEach(async () => {
    locker = new pg.Client({ connectionString: lab.databaseUrl });
    await locker.connect();
  });
  afterEach(() => locker.end());

  /** Kills the command when it is about to write to a table. */
  async function killAt(table: string, ...parameters: string[]): Promise<void> {
    await locker.query(`begin; lock table ${table} in exclusive mode`);
    const child = start(...parameters);
    const outcome = outcomeOf(child);
    while (!(await sessions()).some(({ waits }) => waits)) await delay(5);
    child.kill('SIGKILL');
    await outcome;
    await locker.query('rollback');
    while ((await sessions()).length > 0) await delay(5);
  }

  // Before its file exists; when it exists but is not recorded; while the data are removed.
  it.each(['archive_leftovers', 'slices', 'coverage', 'segments'])(
    'while it archives, at %s, loses nothing, and the next one finishes',
    async (table) => {
      await killAt(table, 'archive', ...WHICH);
      expect(await readingsDigest(lab, 1)).toBe(original);
      expect(await toppers()).toEqual(answers);
      expect(await filesBelow(pool)).toHaveLength(table === 'archive_leftovers' ? 0 : 1);
      expect(await keeping.archive(OLD)).toHaveLength(1);
      expect(await filesBelow(pool)).toHaveLength(1);
      await keeping.restore(OLD);
      await expectAllBack();
    },
  );

  // Before the table of its pages exists; when all pages are back; and at later points.
  it.each(['open_segment_pages', 'archive_leftovers', 'coverage', 'slices', 'segments'])(
    'while it restores, at %s, leaves the slice archived, and the next one finishes',
    async (table) => {
      await keeping.archive(OLD);
      await killAt(table, 'restore', ...WHICH);
      expect((await keeping.list()).map(({ archived }) => archived)).toEqual([true, false]);
      expect(await filesBelow(pool)).toHaveLength(1);
      await keeping.restore(OLD);
      await expectAllBack();
    },
  );

  it('while it drops leaves the slice complete, or removed with its file', async () => {
    await keeping.archive(OLD);
    await killAt('archive_leftovers', 'drop', ...WHICH, '--confirm', CONTEXT);
    expect((await keeping.list()).map(({ archived }) => archived)).toEqual([true, false]);
    await keeping.restore(OLD);
    await expectAllBack();
  });

  it('after it restored, before it removed the file, leaves that to the next', async () => {
    await keeping.archive(OLD);
    const [name = ''] = await filesBelow(pool);
    const kept = join(pool, 'kept');
    await copyFile(join(pool, CONTEXT, name), kept);
    await keeping.restore(OLD);
    await copyFile(kept, join(pool, CONTEXT, name));
    await rm(kept);
    await lab.sql("insert into archive_leftovers values (1, 'oper', $1)", [`${CONTEXT}/${name}`]);
    await keeping.archive(NEXT);
    expect(await filesBelow(pool)).toEqual([expect.stringContaining(NEXT)]);
    await keeping.restore(NEXT);
    await expectAllBack();
  });
});

describe('an archive that is not as it was written', () => {
  let file: string;
  let content: Buffer;

  beforeAll(async () => {
    const [archived] = await keeping.archive(OLD);
    file = archived?.file ?? '';
    content = await readFile(file);
  });

  /** Restoring is refused, and changes neither the database nor the pool. */
  async function expectRefused(message: string | RegExp): Promise<void> {
    const before = await digestOf(lab.databaseUrl);
    const files = await filesBelow(pool);
    const partitions = await partitionedSlices(lab);
    await expect(keeping.restore(OLD)).rejects.toThrow(message);
    expect(await digestOf(lab.databaseUrl)).toEqual(before);
    expect(await filesBelow(pool)).toEqual(files);
    expect(await partitionedSlices(lab)).toEqual(partitions);
  }

  it('is refused if one bit has changed', async () => {
    const damaged = Buffer.from(content);
    const middle = Math.floor(damaged.length / 2);
    damaged[middle] = (damaged[middle] ?? 0) ^ 1;
    await writeFile(file, damaged);
    await expectRefused(/is damaged: its SHA-256 is [0-9a-f]{64}, and [0-9a-f]{64} was written/);
  });

  it('is refused if it is truncated, empty, or in another format', async () => {
    await writeFile(file, content);
    await truncate(file, content.length - 100);
    await expectRefused('is damaged');
    await truncate(file, 0);
    await expectRefused('is damaged');
    await writeFile(file, gzipSync('{"a":1}\n'));
    await expectRefused('is damaged');
  });

  it('is refused if it is the archive of another slice, which the message names', async () => {
    const [other] = await keeping.archive(NEXT);
    await copyFile(other?.file ?? '', file);
    await expectRefused(`is the archive of ${NEXT} of context lab, not of ${OLD}`);
    await keeping.restore(NEXT);
  });

  it('is refused if it is not a regular file', async () => {
    await rm(file);
    await mkdir(file);
    await expectRefused(`${file}, cannot be read: it is not a plain file`);
    await rm(file, { recursive: true });
    execFileSync('mkfifo', [file]);
    // Opening it would block until another process writes into it.
    await expectRefused(`${file}, cannot be read: it is not a plain file`);
  });

  it('is reported if it is missing', async () => {
    await rm(file);
    await expectRefused(`${file}, is not there: is pool oper mounted at ${pool}?`);
  });

  it('is restored once it is back', async () => {
    await writeFile(file, content);
    await keeping.restore(OLD);
    await expectAllBack();
  });

  it('is not even read if its path in the database leads out of the pool', async () => {
    await keeping.archive(OLD);
    await lab.sql("update slices set archive_path = '../' || archive_path where archived");
    await expect(keeping.restore(OLD)).rejects.toThrow('cannot be found');
    await lab.sql('update slices set archive_path = substr(archive_path, 4) where archived');
    await keeping.restore(OLD);
    await expectAllBack();
  });
});

describe('a pool that cannot be written to', () => {
  const declare = (path: string | null, more = {}) =>
    lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path, ...more }] });

  afterEach(() => declare(pool, { status: 'online' }));

  async function expectUnchanged(message: string | RegExp): Promise<void> {
    const before = await digestOf(lab.databaseUrl);
    await expect(keeping.archive(OLD)).rejects.toThrow(message);
    expect(await digestOf(lab.databaseUrl)).toEqual(before);
    await declare(pool, { status: 'online' });
    await expectAllBack();
  }

  it('because it has no folder', async () => {
    await declare(null);
    await expectUnchanged('Pool oper has no folder: declare its path with `countergraph apply`');
  });

  it('because its folder does not exist', async () => {
    await declare(join(pool, 'nowhere'));
    await expectUnchanged(`Pool oper at ${join(pool, 'nowhere')} does not exist: mount it`);
  });

  it('because it is a file', async () => {
    await declare(process.execPath);
    await expectUnchanged(`${process.execPath} is not a folder`);
  });

  it('because its path is relative', async () => {
    await declare('archive');
    await expectUnchanged('Pool oper must have a path from the root, got archive');
  });

  it('because it is offline', async () => {
    await declare(pool, { status: 'offline' });
    await expectUnchanged('Pool oper is declared offline');
  });

  it('because a file is in place of the folder of the context', async () => {
    const other = await makePoolFolder();
    await writeFile(join(other, CONTEXT), '');
    await declare(other);
    await expectUnchanged(`Pool oper: ${join(other, CONTEXT)} is not a folder`);
    await removeFolder(other);
  });

  it('because it is full: the unfinished file is removed, and nothing changes', async () => {
    // A limit on the size of files stands in for a full disk.
    const before = await digestOf(lab.databaseUrl);
    const main = join(program.folder, 'dist/bundle/main.js');
    const command = `ulimit -f 16; exec "${process.execPath}" "${main}" slices archive "$@"`;
    const outcome = await outcomeOf(
      spawn('sh', ['-c', command, 'sh', ...WHICH], {
        cwd: program.folder,
        env: { ...process.env, DATABASE_URL: lab.databaseUrl },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(
      /^database: .*\ncountergraph: Pool oper at \S+ cannot hold a file of this size: the slice is unchanged/,
    );
    expect(await digestOf(lab.databaseUrl)).toEqual(before);
    await expectAllBack();
  });

  it('because none is declared', async () => {
    await lab.apply({ context: 'poor', groups: [group(9)] });
    const poor = keepingOf(lab, { context: 'poor' });
    await lab.importSamples([{ group: guidOf(9), key: 'a', ts: T0, values: { 0: 1 } }], {
      context: 'poor',
    });
    await expect(poor.archive(OLD)).rejects.toThrow(
      'Context poor has no pool to archive to: declare one with `countergraph apply`',
    );
  });
});

describe('a pool that is not mounted', () => {
  it('has its files removed once it is mounted', async () => {
    await keeping.archive(NEXT);
    const away = join(pool, 'away');
    await mkdir(away);
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: away }] });
    await keeping.drop(NEXT);
    expect(await lab.sql('select pool from archive_leftovers')).toEqual([{ pool: 'oper' }]);
    expect(await filesBelow(pool)).toHaveLength(1);
    await rm(away, { recursive: true });
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: pool }] });
    await keeping.archive(OLD);
    await keeping.restore(OLD);
    expect(await filesBelow(pool)).toEqual([]);
    expect(await lab.sql('select * from archive_leftovers')).toEqual([]);
  });
});
