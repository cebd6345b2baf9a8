import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagePartitionName, pagePartitionOf, type SegmentToPlace } from '../../db/page-tables.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { type ImportReport, importFile } from '../../ingest/files/import-file.ts';
import { openDataFolder, SYSTEM_DIR } from '../../postgres/data-folder.ts';
import { verifyContext } from '../../store/check/verify-context.ts';
import { textSource } from '../ingest/text-source.ts';
import type { BreakableServer } from '../support/database/breakable-server.ts';
import { type DatabaseDigest, digestOf } from '../support/database/database-digest.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { mountSmallDisk, type SmallDisk } from '../support/programs/small-disk.ts';
import { expectRecovery, GROUP, startFaultLab } from './fault-lab.ts';

let lab: TestService;
let server: BreakableServer;
let program: BuiltProgram;
let disk: SmallDisk | null = null;
let files = 0;

beforeAll(async () => {
  program = await buildProgram();
  ({ lab, server } = await startFaultLab());
}, 120_000);

afterAll(async () => {
  await lab.close();
  try {
    await server.remove();
  } finally {
    await disk?.remove();
  }
  await program.remove();
});

/** New content for a day without data. Each key ends with `noiseBytes` of noise. */
function newContent(keys: number, minutes = 3, noiseBytes = 0): string {
  files += 1;
  const line = (i: number, minute: number) => {
    const noise = createHash('shake128', { outputLength: noiseBytes / 2 }).update(`${i}`);
    const key = `new ${i} of file ${files} ${noiseBytes > 0 ? noise.digest('hex') : ''}`;
    const ts = T0 + 86_400 * files + 60 * minute;
    return `${JSON.stringify({ group: GROUP.guid, key, ts, values: { 0: i + 1 } })}\n`;
  };
  const linesOf = (minute: number) =>
    Array.from({ length: keys }, (_, i) => line(i, minute)).join('');
  return Array.from({ length: minutes }, (_, minute) => linesOf(minute)).join('');
}

const importContent = (content: string): Promise<ImportReport> =>
  importFile({
    databaseUrl: server.url,
    context: CONTEXT,
    format: 'samples',
    source: textSource(content),
    now: () => Math.floor(Date.now() / 1000),
  });

/** Starts the import command in a separate process. */
async function startImport(content: string): Promise<ChildProcess> {
  const path = join(program.folder, `file-${files}.ndjson`);
  await writeFile(path, content);
  const main = join(program.folder, 'dist/bundle/main.js');
  const parameters = ['import', '--context', CONTEXT, '--format', 'samples', path];
  return spawn(process.execPath, [main, ...parameters], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: server.url },
    stdio: 'ignore',
  });
}

const IMPORT_SESSIONS = `select pid, coalesce(wait_event_type = 'Lock', false) as waits
  from pg_stat_activity where application_name like 'countergraph import%'`;

const importSessions = () => lab.sql<{ pid: number; waits: boolean }>(IMPORT_SESSIONS);

async function waitUntilImportsEnd(): Promise<void> {
  while ((await importSessions()).length > 0) await delay(10);
}

/** Nothing is left of an import; its file can be imported now, and all derived data are right. */
async function expectNoTrace(content: string, before: DatabaseDigest): Promise<void> {
  await waitUntilImportsEnd();
  expect(await digestOf(server.url)).toEqual(before);
  await expectRecovery(lab);
  await importContent(content);
  await expect(importContent(content)).rejects.toThrow('its content is in context lab already');
  await expectRightSegments();
  // The next import, at the latest, removes a partition that was created in vain.
  const partitions = await lab.sql(`select relname as name from pg_class
    where relkind = 'r' and relname ~ '^open_segment_pages_[0-9_]+$' order by 1`);
  const segments = await lab.sql<SegmentToPlace>(`select slice_id as "sliceId", level::int as level,
    extract(epoch from imported_at)::float8 as "importedAt"
    from segments where level < ${SEALED_LEVEL}`);
  const names = new Set(segments.map((segment) => pagePartitionName(pagePartitionOf(segment))));
  expect(partitions.map(({ name }) => name)).toEqual([...names].sort());
  await expectRecovery(lab);
}

async function expectRightSegments(): Promise<void> {
  const report = await verifyContext({ databaseUrl: server.url, context: CONTEXT });
  expect(report).toMatchObject({ differences: [], differenceCount: 0 });
}

/** Waits until the import waits for the lock. */
async function waitUntilHeld(): Promise<void> {
  while (!(await importSessions()).some(({ waits }) => waits)) await delay(5);
}

/** Blocks writes to a table, but not reads: an import reads all these tables first. */
async function hold(table: string): Promise<pg.Client> {
  const locker = new pg.Client({ connectionString: server.url });
  locker.on('error', () => {});
  await locker.connect();
  await locker.query(`begin; lock table ${table} in exclusive mode`);
  return locker;
}

describe('an import that is killed', { timeout: 60_000 }, () => {
  // The locks stop it at different points: before and after its first rows, and before its end.
  it.each(['open_segment_pages', 'coverage', 'imports', 'segments'])(
    'when it writes to %s leaves no trace, and its file can be imported',
    async (table) => {
      const content = newContent(500);
      const before = await digestOf(server.url);
      const locker = await hold(table);
      const importing = await startImport(content);
      await waitUntilHeld();
      importing.kill('SIGKILL');
      await once(importing, 'close');
      await locker.end();
      await expectNoTrace(content, before);
    },
  );

  it('after its commit is complete, and the server merges its segments', async () => {
    const content = newContent(500);
    const before = (await lab.sql('select from imports')).length;
    const importing = await startImport(content);
    // It may end by itself before it is killed.
    const closed = once(importing, 'close');
    while ((await lab.sql('select from imports')).length === before) await delay(1);
    importing.kill('SIGKILL');
    await closed;
    await waitUntilImportsEnd();
    await lab.mergeNow();
    await expectRightSegments();
    await expect(importContent(content)).rejects.toThrow('its content is in context lab already');
    await expectRecovery(lab);
  });
});

describe('an import into a PostgreSQL that', { timeout: 60_000 }, () => {
  const restart = async (how: Parameters<BreakableServer['start']>[0] = {}) => {
    await server.stop();
    await server.start(how);
  };

  it.each([
    ['is stopped', () => server.stop()],
    ['is killed', () => server.kill()],
    ['loses its postmaster', () => server.killPostmaster()],
  ])('%s fails, and leaves no trace', async (_, goAway) => {
    const content = newContent(2000);
    const before = await digestOf(server.url);
    await hold('coverage');
    const importing = importContent(content);
    const failing = expect(importing).rejects.toThrow(/terminat|ECONNRESET/);
    await waitUntilHeld();
    await goAway();
    await failing;
    await server.start();
    await expectNoTrace(content, before);
  });

  it('is read-only fails, and leaves no trace', async () => {
    const content = newContent(100);
    const before = await digestOf(server.url);
    await restart({ settings: { default_transaction_read_only: 'on' } });
    await expect(importContent(content)).rejects.toThrow(/read-only transaction/);
    await restart();
    await expectNoTrace(content, before);
  });

  it('has a full disk fails, leaves no trace, and works once there is space', async (context) => {
    const { user } = await openDataFolder(server.dataDir, SYSTEM_DIR);
    disk = await mountSmallDisk(2, user);
    if (!disk) return context.skip('no file system can be mounted here');
    await lab.sql(`create tablespace small location '${disk.path}'`);
    const content = newContent(20_000, 1, 200);
    // New partitions are on the small disk; the write-ahead log is not.
    await restart({ settings: { default_tablespace: 'small' } });
    const before = await digestOf(server.url);
    await expect(importContent(content)).rejects.toThrow(/No space left on device/);
    await expectRecovery(lab);
    expect(await digestOf(server.url)).toEqual(before);
    disk.grow(512);
    await expectNoTrace(content, before);
  });

  it('cannot extend its files fails, and leaves no trace', async () => {
    const content = newContent(60_000, 1, 400);
    const before = await digestOf(server.url);
    // No file may exceed 17 MB (a file of the write-ahead log has 16): as on a full disk,
    // PostgreSQL cannot extend a table.
    await restart({ fileBytes: 17 * 1024 * 1024 });
    await expect(importContent(content)).rejects.toThrow(/could not (extend|write)/);
    await expectRecovery(lab);
    await restart();
    await expectNoTrace(content, before);
  });
});
