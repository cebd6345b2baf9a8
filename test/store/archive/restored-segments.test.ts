import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generationOf } from '../../../domain/slices/page-generation.ts';
import { mergeContext } from '../../../store/merge/merge-context.ts';
import { MissingPages } from '../../../store/read/missing-pages.ts';
import { SWEEP_AFTER_SECONDS } from '../../../store/sweep/sweep-context.ts';
import { type PlainSample, sorted } from '../../segments/plain-segments.ts';
import { sweepAll } from '../../support/lab/sweep-all.ts';
import { DAY_START, publish } from '../store-lab.ts';
import {
  dayOf,
  hostsTo,
  type KeepingLab,
  NOW,
  openKeepingLab,
  SEALED,
  untilItWaits,
} from './keeping-lab.ts';

let lab: KeepingLab;

beforeEach(async () => {
  lab = await openKeepingLab();
});

afterEach(() => lab.close());

/** Two probes, both levels, several ranges and pages. */
const importSlice = (sliceId: number) =>
  lab.importDays(
    dayOf(sliceId, hostsTo(100), { ...SEALED, importedAt: DAY_START + 11 }),
    dayOf(sliceId, [250, 251]),
    dayOf(sliceId, hostsTo(40), { probeId: 7 }),
  );

/** All properties of the live segments of a slice, except their ids and layout numbers. */
async function stored(sliceId: number): Promise<Record<string, unknown>[]> {
  const pages = await lab.rows<{ segment_id: string; pages: string }>(
    `select segment_id, string_agg(md5(bytes), ' ' order by page) as pages from (
       select segment_id, page, bytes from open_segment_pages
       union all select segment_id, page, bytes from sealed_segment_pages) p
     group by segment_id`,
  );
  const pagesOf = new Map(pages.map((each) => [each.segment_id, each.pages]));
  const rows = await lab.rows<Record<string, unknown>>(
    `select s.segment_id, s.group_id, s.probe_id, s.level, s.first_bucket, s.last_bucket,
       s.key_count, s.row_count, s.page_count, s.size_bytes, s.imported_at,
       md5(s.directory) as directory
     from segments s where slice_id = ${sliceId} and died is null order by level, probe_id`,
  );
  return rows.map(({ segment_id: id, ...row }) => ({ ...row, pages: pagesOf.get(String(id)) }));
}

const levels = async () => [...(await lab.manifest()).segments.values()].map(({ level }) => level);

const statuses = async () =>
  (
    await lab.rows<{ archived: boolean }>(
      'select archived from slices where slice_id <= 2 order by slice_id',
    )
  ).map(({ archived }) => archived);

describe('archiving a slice', () => {
  it('writes a file that describes its content, and frees the disk space', async () => {
    await importSlice(1);
    await importSlice(2);
    const written = await lab.archive(1);
    const [file = '', ...others] = await lab.files();
    expect(others).toEqual([]);
    const content = await readFile(file);
    expect(createHash('sha256').update(content).digest('hex')).toBe(written.digest);
    expect(written).toMatchObject({ bytes: content.length, rows: 284 });
    const slice = await lab.storedSlice(1);
    expect(slice).toMatchObject({ archived: true, archive: written });
    const [header = ''] = content.toString('latin1').split('\n');
    expect(JSON.parse(header)).toMatchObject({
      countergraph: 'archive',
      version: 2,
      context: 'lab',
      levels: [0, 100],
      generations: [generationOf({ level: 0, importedAt: DAY_START })],
      slice: { id: 1, name: 'slice-20250715-0000', engine: 0, from: DAY_START },
      groups: [{ groupId: 1, keyKind: 'ip', bucketSize: 60 }],
      probes: [],
      content: { segments: 3, rows: 284 },
    });
    expect(await lab.partitions()).toEqual(['open_segment_pages_2', 'sealed_segment_pages_2']);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('removes it, and nothing else, from all answers, and raises the version', async () => {
    await importSlice(2);
    const other = await lab.table();
    const coverage = await lab.coverage();
    await importSlice(1);
    const before = await lab.manifest();
    await lab.archive(1);
    const after = await lab.manifest(before);
    expect(after.version).toBe(before.version + 1);
    expect(sorted(await lab.table())).toEqual(sorted(other));
    expect(await lab.coverage()).toEqual(coverage);
  });

  it('works with an empty slice', async () => {
    expect(await lab.archive(3)).toMatchObject({ rows: 0 });
    expect(await lab.restore(3)).toBe(0);
    expect((await lab.storedSlice(3)).archived).toBe(false);
    expect(await lab.partitions()).toEqual([]);
  });

  it('reports its progress, up to the total bytes of pages and directories', async () => {
    await importSlice(1);
    const [sizes] = await lab.rows<{ bytes: number }>(
      'select sum(size_bytes)::float8 as bytes from segments',
    );
    const told: [number, number][] = [];
    const session = { onBytes: (_: unknown, done: number, of: number) => told.push([done, of]) };
    await lab.archive(1, { session });
    expect(told.at(-1)).toEqual([sizes?.bytes, sizes?.bytes]);
    expect(told.map(([done]) => done)).toEqual(
      told.map(([done]) => done).toSorted((a, b) => a - b),
    );
    told.length = 0;
    await lab.restore(1, { session });
    expect(told.at(-1)).toEqual([sizes?.bytes, sizes?.bytes]);
  });

  it('is cancelled by its signal, and leaves nothing behind', async () => {
    await importSlice(1);
    const called = AbortSignal.abort(new Error('called off'));
    await expect(lab.archive(1, { session: { signal: called } })).rejects.toThrow('called off');
    expect(await lab.files()).toEqual([]);
    expect(await lab.leftovers()).toEqual([]);
    await lab.archive(1);
    await expect(lab.restore(1, { session: { signal: called } })).rejects.toThrow('called off');
    expect(await statuses()).toEqual([true, false]);
  });

  it('refuses pages that are damaged or missing, and changes nothing', async () => {
    await importSlice(1);
    const before = await lab.manifest();
    await lab.importer.query(
      'create table kept as select * from open_segment_pages order by segment_id limit 1',
    );
    await lab.importer.query(
      `update open_segment_pages p set bytes = set_byte(p.bytes, 9, get_byte(p.bytes, 9) # 1)
       from kept k where k.segment_id = p.segment_id and k.page = p.page`,
    );
    await expect(lab.archive(1)).rejects.toThrow('the digest of page 0 does not fit its bytes');
    await lab.importer.query(
      'delete from open_segment_pages p using kept k where k.segment_id = p.segment_id',
    );
    await expect(lab.archive(1)).rejects.toThrow(/Page 0 of segment \d+ must exist/);
    expect(await lab.manifest(before)).toBe(before);
    expect(await lab.files()).toEqual([]);
    expect(await lab.leftovers()).toEqual([]);
    expect(await statuses()).toEqual([false, false]);
  });
});

describe('restoring a slice', () => {
  it('puts back every byte of every segment, under new ids', async () => {
    await importSlice(1);
    await importSlice(2);
    const before = { stored: await stored(1), coverage: await lab.coverage() };
    const table = sorted(await lab.table());
    const { segments: old } = await lab.manifest();
    const numbers = await lab.manifest();
    await lab.archive(1);
    expect(await lab.restore(1)).toBe(284);
    expect({ stored: await stored(1), coverage: await lab.coverage() }).toEqual(before);
    expect(sorted(await lab.table())).toEqual(table);
    const { segments, version } = await lab.manifest(numbers);
    expect(version).toBe(numbers.version + 2);
    const restored = [...segments.values()].filter(({ sliceId }) => sliceId === 1);
    expect(restored).toHaveLength(3);
    expect(restored.some(({ segmentId }) => old.has(segmentId))).toBe(false);
    expect(await lab.faults()).toEqual([]);
    expect(await lab.storedSlice(1)).toMatchObject({ archived: false, archive: null });
    expect(await lab.files()).toEqual([]);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('puts back more pages than it reads or writes at once', async () => {
    const hex = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');
    const list = Array.from({ length: 60_000 }, (_, i): PlainSample => {
      const value = (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) % 2n ** 50n;
      return {
        key: `0A.${hex(i % 7)}.${hex(i >> 8)}.${hex(i & 255)}`,
        bucket: DAY_START + 60 * (i % 2),
        readings: [{ value, count: 1n }, null, null, { value: -value, count: 1n }, null, null],
      };
    });
    await lab.importDays({ list }, { list: list.slice(0, 9), scope: { probeId: 1, ...SEALED } });
    const before = await stored(1);
    expect(Number(before[0]?.['page_count'])).toBeGreaterThan(64);
    expect(Number(before[0]?.['size_bytes'])).toBeGreaterThan(2 ** 20);
    await lab.archive(1);
    await lab.restore(1);
    expect(await stored(1)).toEqual(before);
  });

  it('yields segments that can be merged further and archived again', async () => {
    await importSlice(1);
    const table = sorted(await lab.table());
    await lab.archive(1);
    await lab.restore(1);
    await mergeContext(lab.importer, { contextId: 1, now: () => NOW });
    expect(await levels()).toEqual([SEALED.level, SEALED.level, SEALED.level]);
    await lab.archive(1);
    await lab.restore(1);
    expect(sorted(await lab.table())).toEqual(table);
    expect(await lab.faults()).toEqual([]);
  });

  it('accepts a declaration that has grown', async () => {
    await importSlice(1);
    const table = sorted(await lab.table());
    await lab.archive(1);
    await lab.importer.query(
      `insert into probes (context_id, name) values (1, 'new');
       insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
       values (1, 9, 7, 2, 100, 'new', '', '');
       update meters set name = 'renamed' where group_id = 1 and slot = 1`,
    );
    await lab.restore(1);
    expect(sorted(await lab.table())).toEqual(table);
  });
});

describe('an older snapshot', () => {
  beforeEach(async () => {
    await importSlice(1);
    await importSlice(2);
    await lab.reader.query('begin isolation level repeatable read');
  });

  it('sees a slice as it was until the snapshot ends; then the disk space is freed', async () => {
    const before = sorted(await lab.table());
    await lab.archive(1, { waitMs: 50, connection: await lab.open() });
    expect(sorted(await lab.table())).toEqual(before);
    expect(await lab.partitions()).toHaveLength(4);
    await lab.reader.query('commit');
    expect((await lab.manifest()).segments.size).toBe(3);
    await lab.drop(3);
    expect(await lab.partitions()).toEqual(['open_segment_pages_2', 'sealed_segment_pages_2']);
  });

  it('keeps the old pages beside the restored ones; they are swept when it ends', async () => {
    const before = sorted(await lab.table());
    const connection = await lab.open();
    await lab.archive(1, { waitMs: 50, connection });
    await lab.restore(1, { connection, waitMs: 50 });
    expect(sorted(await lab.table())).toEqual(before);
    await lab.reader.query('commit');
    expect(sorted(await lab.table())).toEqual(before);
    expect(await lab.faults()).toEqual([]);
    const dead = await lab.rows('select from segments where died is not null');
    expect(dead).toHaveLength(3);
    await sweepAll(connection, NOW + SWEEP_AFTER_SECONDS);
    expect(await lab.rows('select from segments where died is not null')).toEqual([]);
    const strays = await lab.rows(
      `select page from sealed_segment_pages
       where segment_id not in (select segment_id from segments)`,
    );
    expect(strays).toEqual([]);
    expect(sorted(await lab.table())).toEqual(before);
  });
});

describe('a merge at the same time', () => {
  it('that is published after the file was written removes nothing from the archive', async () => {
    await importSlice(1);
    const table = sorted(await lab.table());
    const connection = await lab.open();
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    const locker = await lab.open();
    await locker.query('begin; lock table slices in exclusive mode');
    const archiving = lab.archive(1, { connection });
    await untilItWaits(lab, rows[0]?.pid ?? 0);
    await mergeContext(lab.importer, { contextId: 1, now: () => NOW });
    expect(await levels()).toEqual([SEALED.level, SEALED.level, SEALED.level]);
    await locker.query('commit');
    await archiving;
    expect((await lab.manifest()).segments.size).toBe(0);
    await lab.restore(1);
    expect(sorted(await lab.table())).toEqual(table);
  });

  it('that comes too late changes nothing, and continues with other slices', async () => {
    await importSlice(1);
    await importSlice(2);
    const connection = await lab.open();
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    const locker = await lab.open();
    await locker.query('begin; select from context_versions where context_id = 1 for update');
    const merging = mergeContext(connection, { contextId: 1, now: () => NOW });
    await untilItWaits(lab, rows[0]?.pid ?? 0);
    // This is the last step of archiving; the merge is about to replace the same segments.
    const { segments } = await lab.manifest();
    const own = [...segments.values()].filter(({ sliceId }) => sliceId === 1);
    await publish(locker, { removed: own.map(({ segmentId }) => segmentId) });
    await locker.query('commit');
    expect(await merging).toBe('done');
    const left = [...(await lab.manifest()).segments.values()];
    expect(left.map(({ sliceId, level }) => [sliceId, level])).toEqual([
      [2, SEALED.level],
      [2, SEALED.level],
      [2, SEALED.level],
    ]);
    expect(await lab.faults()).toEqual([]);
  });

  it('skips a slice that was removed meanwhile, but fails if pages are missing', async () => {
    await importSlice(1);
    await importSlice(2);
    const connection = await lab.open();
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    const locker = await lab.open();
    await locker.query('begin; lock table counter_groups in access exclusive mode');
    const merging = mergeContext(connection, { contextId: 1, now: () => NOW });
    await untilItWaits(lab, rows[0]?.pid ?? 0);
    const { segments } = await lab.manifest();
    const own = [...segments.values()].filter(({ sliceId }) => sliceId === 1);
    await publish(locker, { removed: own.map(({ segmentId }) => segmentId) });
    await locker.query('delete from open_segment_pages where slice_id = 1; commit');
    expect(await merging).toBe('done');
    expect(await levels()).toEqual([SEALED.level, SEALED.level, SEALED.level]);
    await importSlice(3);
    await locker.query('delete from open_segment_pages where slice_id = 3');
    await expect(mergeContext(connection, { contextId: 1, now: () => NOW })).rejects.toThrow(
      MissingPages,
    );
  });
});
