import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inSnapshot } from '../../db/connection/connection.ts';
import { GENERATION_SECONDS } from '../../domain/slices/page-generation.ts';
import { SEALED_LEVEL, SETTLED_LEVEL } from '../../domain/slices/segment-level.ts';
import { verifyContext } from '../../store/check/verify-context.ts';
import { mergeContext } from '../../store/merge/merge-context.ts';
import { SEAL_AFTER_SECONDS } from '../../store/merge/plan-merge.ts';
import { rebuildContext } from '../../store/rebuild/rebuild-context.ts';
import { SWEEP_AFTER_SECONDS } from '../../store/sweep/sweep-context.ts';
import { sorted } from '../segments/plain-segments.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { sweepAll } from '../support/lab/sweep-all.ts';
import {
  type KeepingLab,
  NOW,
  openKeepingLab,
  untilItWaits,
  untilWaiting,
} from './archive/keeping-lab.ts';
import { DAY, DAY_START, minute, openPartition, type SegmentToWrite } from './store-lab.ts';

/** Slice 1 of the lab is being filled: these tests run on its first morning. */
let lab: KeepingLab;

beforeEach(async () => {
  lab = await openKeepingLab();
});

afterEach(() => lab.close());

/** The earliest time at which generation `number` of the day may be settled. */
const settledAt = (number: number): number =>
  DAY_START + (number + 1) * GENERATION_SECONDS + SEAL_AFTER_SECONDS;

/** Imports minutes of generation `number`, each in a commit of its own, once it is over. */
async function importMinutes(number: number, count: number): Promise<void> {
  const first = (number * GENERATION_SECONDS) / 60;
  for (let i = first; i < first + count; i += 1) {
    const importedAt = DAY_START + 60 * i + 1;
    const list: SegmentToWrite = { list: minute(i), scope: { importedAt } };
    await lab.importDays(list);
  }
}

const merge = (now: number, connection: pg.Client = lab.importer) =>
  mergeContext(connection, { contextId: 1, now: () => now });

const sweep = (now: number, waitMs = 5000) => sweepAll(lab.importer, now, waitMs);

/** Does all merges that are due at `now`, and sweeps as soon as that is allowed. */
async function work(now: number): Promise<void> {
  await merge(now);
  await sweep(now + SWEEP_AFTER_SECONDS);
}

const levels = async () =>
  [...(await lab.manifest()).segments.values()].map(({ level }) => level).sort((a, b) => a - b);

const partitions = async () =>
  (
    await lab.rows<{ name: string }>(
      `select relname as name from pg_class
       where relkind = 'r' and relname ~ '^open_segment_pages_[0-9]+_[0-9]+$' order by oid`,
    )
  ).map(({ name }) => name);

const generation = (number: number): string =>
  openPartition(1, DAY_START + number * GENERATION_SECONDS);

const SETTLED = 'open_segment_pages_1_0';

const pagesOf = async (table: string) =>
  (await lab.rows<{ id: number }>(`select distinct segment_id::int as id from ${table}`)).length;

describe('a generation of open pages', () => {
  it('is dropped a quarter of an hour after its end, while its slice is being filled', async () => {
    await importMinutes(0, 14);
    await importMinutes(1, 2);
    const before = await lab.table();
    await work(settledAt(0) - 1);
    expect(await levels()).toEqual([0, 0, 0, 0, 1]);
    expect(await partitions()).toEqual([generation(0), generation(1)]);
    await work(settledAt(0));
    expect(await levels()).toEqual([0, 0, SETTLED_LEVEL]);
    expect(await partitions()).toEqual([generation(1), SETTLED]);
    expect(sorted(await lab.table())).toEqual(sorted(before));
  });

  it('has the pages of merged segments too, by the latest import in them', async () => {
    await importMinutes(0, 11);
    await importMinutes(1, 1);
    await work(settledAt(0) - 1);
    expect(await levels()).toEqual([1]);
    expect(await partitions()).toEqual([generation(1)]);
  });

  it('is dropped even if a probe has sent next to nothing', async () => {
    await importMinutes(0, 12);
    const scope = { probeId: 5, importedAt: DAY_START + 60 };
    await lab.importDays({ list: minute(3), scope });
    await work(settledAt(0));
    expect(await levels()).toEqual([SETTLED_LEVEL, SETTLED_LEVEL]);
    expect(await partitions()).toEqual([SETTLED]);
  });

  it('is settled in several merges if it has more segments than one merge takes', async () => {
    const scope = (probeId: number) => ({ probeId, importedAt: DAY_START + 60 });
    for (let i = 0; i < 60; i += 1) await lab.importDays({ list: minute(i), scope: scope(0) });
    const before = await lab.table();
    await work(settledAt(0));
    expect(await levels()).toEqual([SETTLED_LEVEL]);
    expect(await partitions()).toEqual([SETTLED]);
    expect(sorted(await lab.table())).toEqual(sorted(before));
  });

  it('leaves no open pages when the slice is sealed', async () => {
    await importMinutes(0, 3);
    await work(settledAt(0));
    await importMinutes(11, 3);
    await work(DAY_START + DAY + 2 * SEAL_AFTER_SECONDS);
    expect(await levels()).toEqual([SEALED_LEVEL]);
    expect(await partitions()).toEqual([]);
  });

  it('counts towards the size of its slice, which has a path while it has pages', async () => {
    await importMinutes(0, 2);
    const one = await lab.storedSlice(1);
    await importMinutes(1, 2);
    const two = await lab.storedSlice(1);
    expect(two.sizeBytes).toBeGreaterThan(one.sizeBytes ?? 0);
    expect(two.path).toBe(one.path);
    await work(settledAt(0));
    await work(settledAt(1));
    const settled = await lab.storedSlice(1);
    expect(await partitions()).toEqual([SETTLED]);
    expect(settled.sizeBytes).toBeLessThan(two.sizeBytes ?? 0);
    expect(settled.path).toMatch(/^base/);
  });
});

describe('a reader in an older snapshot', () => {
  it('keeps the pages of its generation until the snapshot ends', async () => {
    await importMinutes(0, 3);
    await importMinutes(1, 1);
    const before = sorted(await lab.table());
    await inSnapshot(lab.reader, async () => {
      await lab.manifest();
      await work(settledAt(0));
      expect(sorted(await lab.table())).toEqual(before);
    });
    expect(await partitions()).toEqual([generation(0), generation(1), SETTLED]);
    await work(settledAt(0));
    expect(await partitions()).toEqual([generation(1), SETTLED]);
    expect(sorted(await lab.table())).toEqual(before);
  });

  it.skipIf(isOnCluster)('holds up no commit, even while a detach waits for it', async () => {
    await importMinutes(0, 2);
    await merge(settledAt(0));
    await lab.reader.query('begin; select from open_segment_pages limit 0');
    const connection = await lab.open();
    const sweeping = sweepAll(connection, settledAt(0) + SWEEP_AFTER_SECONDS, 20_000);
    await untilWaiting(
      lab,
      "datname = $1 and query ~ '^alter table .* detach'",
      new URL(lab.databaseUrl).pathname.slice(1),
    );
    await lab.importer.query("set lock_timeout = '5s'");
    // The first generation already has a partition; the second needs one.
    await importMinutes(1, 1);
    await importMinutes(2, 1);
    const other = await lab.open();
    await other.query("set lock_timeout = '1s'");
    expect((await lab.table(other)).size).toBe(4 * 5);
    await lab.reader.query('commit');
    expect(await sweeping).toBe(2);
    expect(await partitions()).toEqual([SETTLED, generation(1), generation(2)]);
  });
});

describe('work on generations that is interrupted', () => {
  it('while it publishes a settled segment changes nothing, and the next run does it', async () => {
    await importMinutes(0, 3);
    const before = sorted(await lab.table());
    await killAt('context_versions in exclusive', (connection) => merge(settledAt(0), connection));
    expect(await levels()).toEqual([0, 0, 0]);
    await sweep(settledAt(0));
    // The partition that was made for the segment goes too, as it is empty.
    expect(await partitions()).toEqual([generation(0)]);
    await work(settledAt(0));
    expect(await partitions()).toEqual([SETTLED]);
    expect(await pagesOf(SETTLED)).toBe(1);
    expect(sorted(await lab.table())).toEqual(before);
  });

  it.skipIf(isOnCluster)('while it detaches a generation is finished by the next run', async () => {
    await importMinutes(0, 3);
    const before = sorted(await lab.table());
    await merge(settledAt(0));
    const now = settledAt(0) + SWEEP_AFTER_SECONDS;
    await killAt('sealed_segment_pages in exclusive; select from open_segment_pages;', (each) =>
      sweepAll(each, now, 20_000),
    );
    expect(await partitions()).toEqual([generation(0), SETTLED]);
    await sweep(now);
    expect(await partitions()).toEqual([SETTLED]);
    expect(sorted(await lab.table())).toEqual(before);
  });

  /** Starts the work in a session, and terminates that while it waits for this lock. */
  async function killAt(lock: string, begin: (connection: pg.Client) => Promise<unknown>) {
    const locker = await lab.open();
    const connection = await lab.open();
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    await locker.query(`begin; lock table ${lock.replace(/;|$/, ' mode;')}`);
    const working = expect(begin(connection)).rejects.toThrow(/terminat/);
    await untilItWaits(lab, pid);
    await lab.reader.query('select pg_terminate_backend($1::int, 10000)', [pid]);
    await working;
    await locker.query('rollback');
  }
});

describe('a slice of several generations', () => {
  beforeEach(async () => {
    await importMinutes(0, 3);
    await merge(settledAt(0));
    await importMinutes(1, 13);
    await importMinutes(2, 2);
    await merge(settledAt(1) - 1);
    await sweep(settledAt(1) + SWEEP_AFTER_SECONDS);
    expect(await levels()).toEqual([0, 0, 0, 1, SETTLED_LEVEL]);
    expect(await partitions()).toEqual([SETTLED, generation(1), generation(2)]);
  });

  it('is archived, restored as it was, and merged further', async () => {
    const before = sorted(await lab.table());
    await lab.archive(1);
    expect(await partitions()).toEqual([]);
    await lab.restore(1);
    expect((await partitions()).toSorted()).toEqual(
      [SETTLED, generation(1), generation(2)].toSorted(),
    );
    expect(sorted(await lab.table())).toEqual(before);
    expect(await lab.faults()).toEqual([]);
    await merge(settledAt(2));
    // The lab archives at NOW, so the segments that died of it can be swept only after that.
    await sweep(NOW + SWEEP_AFTER_SECONDS);
    expect(await partitions()).toEqual([SETTLED]);
    expect(sorted(await lab.table())).toEqual(before);
  });

  it('is dropped with all its generations', async () => {
    await lab.drop(1);
    expect(await partitions()).toEqual([]);
    expect((await lab.table()).size).toBe(0);
  });

  it('is verified and rebuilt, each segment in its own generation', async () => {
    // Before generation 1 is due to be settled.
    const now = settledAt(1) - 1;
    const target = { databaseUrl: lab.databaseUrl, context: 'lab', now: () => now };
    const before = sorted(await lab.table());
    expect(await verifyContext(target)).toMatchObject({ segments: 5, differenceCount: 0 });
    const ids = [...(await lab.manifest()).segments.keys()];
    expect(await rebuildContext(target)).toMatchObject({ segments: 5, damaged: [] });
    expect([...(await lab.manifest()).segments.keys()].filter((id) => ids.includes(id))).toEqual(
      [],
    );
    expect(await verifyContext(target)).toMatchObject({ segments: 5, differenceCount: 0 });
    await sweep(settledAt(1) + SWEEP_AFTER_SECONDS);
    expect(await partitions()).toEqual([SETTLED, generation(1), generation(2)]);
    expect(sorted(await lab.table())).toEqual(before);
  });
});
