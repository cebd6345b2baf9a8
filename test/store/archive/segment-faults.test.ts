import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/connection/connection.ts';
import { partialOf } from '../../../domain/slices/partial-file.ts';
import { SWEEP_AFTER_SECONDS } from '../../../store/sweep/sweep-context.ts';
import { sorted } from '../../segments/plain-segments.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import { sweepAll } from '../../support/lab/sweep-all.ts';
import { openPartition } from '../store-lab.ts';
import {
  address,
  dayOf,
  hostsTo,
  type KeepingLab,
  type KeepingOptions,
  NOW,
  openKeepingLab,
  SEALED,
  untilItWaits,
} from './keeping-lab.ts';

let lab: KeepingLab;
let locker: pg.Client;
let table: unknown;
let coverage: unknown;

beforeEach(async () => {
  lab = await openKeepingLab();
  locker = await lab.open();
  await lab.importDays(
    dayOf(1, hostsTo(60), SEALED),
    dayOf(1, [200], { probeId: 2 }),
    dayOf(2, [1]),
  );
  await lab.importer.query(
    `insert into key_texts (group_id, key, label, label_source)
     select 1, key, 'found', 'dns' from unnest($1::text[]) as key`,
    [[1, 2, 200].map(address)],
  );
  table = sorted(await lab.table());
  coverage = await lab.coverage();
});

afterEach(() => lab.close());

type Kept = (sliceId: number, options: KeepingOptions) => Promise<unknown>;

/** Starts `work` on slice 1, and terminates its session while it waits for this lock. */
async function killAt(lock: string, work: Kept): Promise<void> {
  const connection = await lab.open();
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  await locker.query(`begin; lock table ${lock} mode`);
  const working = expect(work(1, { connection })).rejects.toThrow(/terminat/);
  await untilItWaits(lab, pid);
  await lab.reader.query('select pg_terminate_backend($1::int, 10000)', [pid]);
  await working;
  await locker.query('rollback');
}

const archived = async () => (await lab.storedSlice(1)).archived;

const labels = async () => (await lab.rows('select from key_texts')).length;

/** Everything is as it was at the start of the test, and nothing is left over. */
async function expectAllBack(): Promise<void> {
  expect(await archived()).toBe(false);
  expect(sorted(await lab.table())).toEqual(table);
  expect(await lab.coverage()).toEqual(coverage);
  expect(await lab.faults()).toEqual([]);
  expect(await labels()).toBe(3);
  expect(await lab.files()).toEqual([]);
  expect(await lab.leftovers()).toEqual([]);
  await expectNoStrays();
}

/** After a sweep: no page without a segment, no partition without a slice that has segments. */
async function expectNoStrays(): Promise<void> {
  await sweepAll(lab.importer, NOW + SWEEP_AFTER_SECONDS);
  const strays = await lab.rows(
    `select segment_id from open_segment_pages
     where segment_id not in (select segment_id from segments)
     union all select segment_id from sealed_segment_pages
     where segment_id not in (select segment_id from segments)`,
  );
  expect(strays).toEqual([]);
  expect(await lab.rows('select from segments where died is not null')).toEqual([]);
  const used = await lab.rows<{ name: string }>(
    `select distinct case when level = 100 then 'sealed' else 'open' end
       || '_segment_pages_' || slice_id as name from segments order by 1`,
  );
  expect(await lab.partitions()).toEqual(used.map(({ name }) => name));
}

describe('archiving that is interrupted', () => {
  it.each([
    ['before it records that there will be a file', 'archive_leftovers in exclusive', 0],
    ['while it reads pages', `${openPartition(1)} in access exclusive`, 0],
    ['after the file is written, at the labels', 'key_texts in access exclusive', 1],
    ['after the file is written, at the slice', 'slices in exclusive', 1],
    ['as it publishes', 'context_versions in exclusive', 1],
  ])('%s loses nothing, and is finished by the next run', async (_, lock, fileCount) => {
    await killAt(lock, lab.archive);
    expect(await archived()).toBe(false);
    expect(sorted(await lab.table())).toEqual(table);
    expect(await lab.files()).toHaveLength(fileCount);
    await lab.archive(1);
    expect(await archived()).toBe(true);
    expect(await lab.files()).toHaveLength(1);
    expect(await lab.leftovers()).toEqual([]);
    await lab.restore(1);
    await expectAllBack();
  });

  it('by the end of its process leaves a partial file, which the next run removes', async () => {
    await killAt(`${openPartition(1)} in access exclusive`, lab.archive);
    const [leftover] = await lab.rows<{ path: string }>('select path from archive_leftovers');
    await writeFile(partialOf(join(lab.pool, leftover?.path ?? '')), 'begun');
    await lab.drop(3);
    await expectAllBack();
  });

  it('by a commit whose response is lost keeps the file, which the slice needs', async () => {
    await expect(lab.archive(1, { connection: withLostCommit(lab.importer, 2) })).rejects.toThrow(
      'the answer was lost',
    );
    expect(await archived()).toBe(true);
    expect(await lab.files()).toHaveLength(1);
    await lab.restore(1);
    await expectAllBack();
  });
});

/** The n-th commit succeeds but appears to fail. */
function withLostCommit(connection: Connection, n: number): Connection {
  let commits = 0;
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (...parameters: unknown[]) => {
        // A COPY returns a stream, not a promise.
        const result: unknown = value.apply(target, parameters);
        if (parameters[0] === 'commit') commits += 1;
        return parameters[0] === 'commit' && commits === n ? lose(result) : result;
      };
    },
  });
}

async function lose(answer: unknown): Promise<never> {
  await answer;
  throw new Error('the answer was lost');
}

describe('restoring that is interrupted', () => {
  beforeEach(() => lab.archive(1));

  it.each([
    ['while it makes the partitions', 'open_segment_pages in exclusive'],
    ['when all pages are back', 'archive_leftovers in exclusive'],
    ['at the slice', 'slices in exclusive'],
    ['as it publishes', 'context_versions in exclusive'],
  ])('%s leaves the slice archived, and is finished by the next run', async (_, lock) => {
    await killAt(lock, lab.restore);
    expect(await archived()).toBe(true);
    expect(await lab.files()).toHaveLength(1);
    expect((await lab.manifest()).segments.size).toBe(1);
    await lab.restore(1);
    await expectAllBack();
  });

  it('while it copies pages leaves the slice archived; the next run finishes it', async () => {
    await lab.restore(1);
    const old = await lab.open();
    await old.query('begin isolation level repeatable read; select from slices');
    // An older reader keeps the partitions, so restoring need not make them.
    await lab.archive(1, { waitMs: 50 });
    await killAt('open_segment_pages in exclusive', (sliceId, { connection }) =>
      lab.restore(sliceId, { connection: connection ?? lab.importer, waitMs: 50 }),
    );
    expect(await archived()).toBe(true);
    await old.query('commit');
    await lab.restore(1);
    await expectAllBack();
  });

  it('leaves no pages, even if the slice is not restored again', async () => {
    await killAt('context_versions in exclusive', lab.restore);
    expect(await lab.partitions()).toHaveLength(3);
    await lab.drop(3);
    expect(await lab.partitions()).toEqual(['open_segment_pages_2']);
    await expectNoStrays();
  });

  it('by a commit whose response is lost is done, and the file is removed later', async () => {
    const commits = 3;
    await expect(
      lab.restore(1, { connection: withLostCommit(lab.importer, commits) }),
    ).rejects.toThrow('the answer was lost');
    await lab.drop(3);
    await expectAllBack();
  });
});

describe('dropping that is interrupted', () => {
  it.each([
    ['at the labels', 'key_texts in access exclusive'],
    ['at the slice', 'slices in exclusive'],
    ['as it publishes', 'context_versions in exclusive'],
  ])('%s drops nothing, and is finished by the next run', async (_, lock) => {
    await killAt(lock, lab.drop);
    await expectAllBack();
    await lab.drop(1);
    expect(await labels()).toBe(1);
    expect((await lab.manifest()).segments.size).toBe(1);
    await expectNoStrays();
  });

  it.each(['archive_leftovers in exclusive', 'context_versions in exclusive'])(
    'of an archived slice, at %s, removes neither the slice nor its file',
    async (lock) => {
      await lab.archive(1);
      await killAt(lock, lab.drop);
      expect(await archived()).toBe(true);
      expect(await lab.files()).toHaveLength(1);
      await lab.drop(1);
      expect(await lab.files()).toEqual([]);
      expect(await lab.leftovers()).toEqual([]);
      expect(await labels()).toBe(1);
      await expectNoStrays();
    },
  );
});

describe('the removal of partitions that is interrupted', () => {
  /** The lock of a session that writes pages: it keeps the partition from being detached. */
  const WRITER = 'sealed_segment_pages in row exclusive';

  it.skipIf(isOnCluster)('while it detaches is finished by the next run', async () => {
    await killAt(WRITER, lab.drop);
    expect(await lab.rows('select from slices where slice_id = 1')).toEqual([]);
    expect(await lab.rows('select from pg_inherits where inhdetachpending')).toHaveLength(1);
    await lab.drop(3);
    expect(await lab.partitions()).toEqual(['open_segment_pages_2']);
    await expectNoStrays();
  });

  it.skipIf(isOnCluster)(
    'while it detaches lets the slice be restored once no reader holds its old pages',
    async () => {
      await killAt(WRITER, lab.archive);
      expect(await archived()).toBe(true);
      expect(await lab.rows('select from pg_inherits where inhdetachpending')).toHaveLength(1);
      await locker.query('begin isolation level repeatable read; select from slices');
      await expect(lab.restore(1, { waitMs: 50 })).rejects.toThrow(
        'slice-20250715-0000 cannot be restored yet: a reader or an import that began before it was ' +
          'archived holds its old pages; try again when that is over',
      );
      expect(await archived()).toBe(true);
      await locker.query('commit');
      await lab.restore(1);
      await expectAllBack();
    },
  );
});
