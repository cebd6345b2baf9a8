import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inSnapshot, inTransaction } from '../../db/connection/connection.ts';
import { pagePartitionOf } from '../../db/page-tables.ts';
import { ensurePagePartition } from '../../db/sql/page-partitions.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { mergeContext } from '../../store/merge/merge-context.ts';
import { SWEEP_AFTER_SECONDS } from '../../store/sweep/sweep-context.ts';
import { MissingPartition } from '../../store/write/missing-partition.ts';
import { sorted } from '../segments/plain-segments.ts';
import { sweepAll } from '../support/lab/sweep-all.ts';
import {
  DAY,
  DAY_START,
  importLists,
  minute,
  openPartition,
  openStoreLab,
  publish,
  SCOPE,
  type StoreLab,
  writeList,
} from './store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

const MERGED_AT = DAY_START + 10 * DAY;
const LATER = MERGED_AT + SWEEP_AFTER_SECONDS;

const importMinutes = (from: number, to: number) =>
  importLists(
    lab.importer,
    Array.from({ length: to - from }, (_, i) => ({ list: minute(from + i) })),
  );

const merge = () => mergeContext(lab.importer, { contextId: 1, now: () => MERGED_AT });

const sweep = (now: number, waitMs?: number) => sweepAll(lab.importer, now, waitMs);

/** The partition of the open pages of these tests. */
const OPEN = openPartition(1);

const manifestCount = async () =>
  (await lab.rows<{ count: number }>('select count(*)::int as count from segments'))[0]?.count;

const partitions = async () =>
  (
    await lab.rows<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relname ~ '_pages_[0-9_]+$'
       order by 1`,
    )
  ).map(({ name }) => name);

describe('sweeping', () => {
  it('removes replaced segments five minutes after a merge, and the partition', async () => {
    await importMinutes(0, 4);
    await merge();
    const before = await lab.table();
    expect(await sweep(LATER - 1)).toBe(0);
    expect(await manifestCount()).toBe(5);
    expect(await partitions()).toEqual([OPEN, 'sealed_segment_pages_1']);
    expect(await sweep(LATER)).toBe(4);
    expect(await manifestCount()).toBe(1);
    expect(await partitions()).toEqual(['sealed_segment_pages_1']);
    expect(sorted(await lab.table())).toEqual(sorted(before));
    expect(await sweep(LATER)).toBe(0);
  });

  it('keeps everything that a snapshot can see until that ends', async () => {
    await importMinutes(0, 4);
    const before = await lab.table();
    await inSnapshot(lab.reader, async () => {
      await lab.manifest();
      await merge();
      expect(await sweep(LATER + DAY)).toBe(0);
      expect(sorted(await lab.table())).toEqual(sorted(before));
    });
    expect(await sweep(LATER + DAY)).toBe(4);
  });

  it('is not held up by a snapshot taken after the merge', async () => {
    await importMinutes(0, 4);
    await merge();
    let swept = 0;
    // An earlier transaction in another database may make the snapshot look older than it is.
    while (swept === 0) {
      await inSnapshot(lab.reader, async () => {
        const { segments } = await lab.manifest();
        expect(segments.size).toBe(1);
        swept = await sweep(LATER);
      });
    }
    expect(swept).toBe(4);
  });

  it('makes servers with an older manifest read it in full, and others the changes', async () => {
    await importMinutes(0, 4);
    const old = await lab.manifest();
    await merge();
    const merged = await lab.manifest(old);
    await sweep(LATER);
    await importMinutes(4, 5);
    const whole = await lab.manifest();
    for (const known of [old, merged]) {
      const refreshed = await lab.manifest(known);
      expect([...refreshed.segments.keys()].sort()).toEqual([...whole.segments.keys()].sort());
    }
    const numbers = await lab.rows(
      'select swept_to::int as swept, layout::int as layout from context_versions order by 1',
    );
    expect(numbers.at(-1)).toEqual({ swept: merged.layout, layout: merged.layout + 1 });
  });

  it('keeps the partition of open pages while the slice has an open segment', async () => {
    await importMinutes(0, 12);
    await mergeContext(lab.importer, { contextId: 1, now: () => DAY_START + 3600 });
    expect(await sweep(LATER)).toBe(12);
    expect(await partitions()).toEqual([OPEN]);
    expect((await lab.table()).size).toBeGreaterThan(0);
  });

  it('keeps a partition to which pages are being written', async () => {
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    const second = await lab.open();
    await second.query('begin');
    const segment = await writeList(second, { list: minute(1) });
    await sweep(LATER);
    await publish(second, { added: [segment] });
    await second.query('commit');
    await sweep(LATER);
    expect(await partitions()).toEqual([OPEN]);
    expect((await lab.table()).size).toBe(5);
  });

  it('removes a partition that a failed import has made', async () => {
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    await lab.importer.query('begin');
    await writeList(lab.importer, { list: minute(1) });
    await lab.importer.query('rollback');
    await sweep(LATER);
    expect(await partitions()).toEqual([]);
    const writing = inTransaction(lab.importer, () => writeList(lab.importer, { list: minute(1) }));
    await expect(writing).rejects.toThrow(MissingPartition);
  });

  it('deletes the pages of a sealed segment that was replaced, and no others', async () => {
    await importMinutes(0, 2);
    await merge();
    await importMinutes(2, 6);
    await importLists(lab.importer, [
      { list: minute(7), scope: { level: SEALED_LEVEL, probeId: 3 } },
    ]);
    await merge();
    const before = await lab.table();
    await sweep(LATER);
    expect(sorted(await lab.table())).toEqual(sorted(before));
    const rows = await lab.rows<{ id: number }>(
      'select distinct segment_id::int as id from sealed_segment_pages order by 1',
    );
    const { segments, rollUps } = await lab.manifest();
    const live = [...segments.keys(), ...rollUps.keys()].sort((a, b) => a - b);
    expect(rows.map(({ id }) => id)).toEqual(live);
    expect(segments.size).toBe(2);
  });

  it('drops all partitions of a slice without live segments', async () => {
    await importMinutes(0, 2);
    await merge();
    await importMinutes(2, 3);
    const removed = [...(await lab.manifest()).segments.keys()];
    await inTransaction(lab.importer, () => publish(lab.importer, { removed, at: MERGED_AT }));
    expect(await sweep(LATER)).toBe(4);
    expect(await partitions()).toEqual([]);
    expect((await lab.manifest()).segments.size).toBe(0);
  });

  it('drops partitions that an interrupted sweep has left', async () => {
    await importMinutes(0, 2);
    await merge();
    await lab.importer.query('delete from segments where died is not null');
    expect(await sweep(LATER)).toBe(0);
    expect(await partitions()).toEqual(['sealed_segment_pages_1']);
  });
});

describe('a partition that a reader holds', () => {
  const holdAndSweep = async () => {
    await importMinutes(0, 2);
    await merge();
    await lab.reader.query('begin');
    await lab.reader.query('select from open_segment_pages limit 0');
    await sweep(LATER, 100);
    expect(await partitions()).toContain(OPEN);
    await lab.reader.query('commit');
  };

  it('is skipped when the time to wait is over, and removed by the next sweep', async () => {
    await holdAndSweep();
    await sweep(LATER);
    expect(await partitions()).toEqual(['sealed_segment_pages_1']);
  });

  it('is replaced if an import needs one before the next sweep', async () => {
    await holdAndSweep();
    await importMinutes(2, 3);
    expect(await partitions()).toEqual([OPEN, 'sealed_segment_pages_1']);
    await sweep(LATER);
    expect((await lab.table()).size).toBe(15);
  });
});
