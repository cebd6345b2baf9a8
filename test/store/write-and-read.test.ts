import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { pagePartitionName, pagePartitionOf } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../db/sql/page-partitions.ts';
import { PAGES_OF_COPY } from '../../db/sql/pages.ts';
import { GENERATION_SECONDS } from '../../domain/slices/page-generation.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { PAGE_BYTES } from '../../segments/pages/page.ts';
import { SegmentsGone } from '../../store/publish/publish-segments.ts';
import { fetchPages } from '../../store/read/fetch-pages.ts';
import { MissingPages } from '../../store/read/missing-pages.ts';
import { loadShapes } from '../../store/shapes/load-shapes.ts';
import { writeSegment } from '../../store/write/write-segment.ts';
import {
  CODEC,
  gather,
  type PlainSample,
  type PlainTable,
  plainTable,
  SHAPE,
  samples,
  sorted,
  spanOf,
} from '../segments/plain-segments.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import {
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

/** The table as the lab reads it, of group 1 and a probe. */
const COPY_BYTES = PAGES_OF_COPY * PAGE_BYTES;

const placed = (table: PlainTable, probeId = 0) =>
  [...table].map(([at, reading]) => [`1 ${probeId} ${at}`, reading] as const);

/** A sample of numbers that do not pack well. */
const largeSample = (i: number): PlainSample => {
  const value = (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) & (2n ** 63n - 1n);
  const host = i.toString(16).toUpperCase().padStart(4, '0');
  return {
    key: `0A.00.${host.slice(0, 2)}.${host.slice(2)}`,
    bucket: DAY_START + 60 * (i % 90),
    readings: [{ value, count: 1n }, null, null, { value: value ^ 0xffffn, count: 1n }, null, null],
  };
};

const together = (...lists: (readonly (readonly [string, unknown])[])[]) =>
  [...new Map(lists.flat())].sort(([a], [b]) => (a < b ? -1 : 1));

describe('a written and published segment', () => {
  it('is read from the database as it was written, in both tables and any slice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(samples, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, SEALED_LEVEL),
        async (lists, level) => {
          const before = await lab.manifest();
          await importLists(
            lab.importer,
            lists.map((list, i) => ({ list, scope: { probeId: i, sliceId: 1 + (i % 2), level } })),
          );
          expect(sorted(await lab.table())).toEqual(
            together(...lists.map((list, i) => placed(plainTable(list), i))),
          );
          const { segments } = await lab.manifest(before);
          await inTransaction(lab.importer, () =>
            publish(lab.importer, { removed: [...segments.keys()] }),
          );
        },
      ),
      { numRuns: Math.ceil(FUZZ_CASES / 5) },
    );
  });

  it('is described by its manifest row', async () => {
    const [written] = await importLists(lab.importer, [{ list: minute(3) }], DAY_START + 7);
    const { segments, layout } = await lab.manifest();
    const [segment] = segments.values();
    const { directory, ...row } = { ...written };
    expect(segment).toMatchObject({ ...row, addedAt: layout, importedAt: DAY_START + 7 });
    expect(segment?.directory().pageCount).toBe(row.pageCount);
    const [stored] = await lab.rows(
      `select count(*)::int as pages, sum(octet_length(bytes))::int as bytes
       from open_segment_pages`,
    );
    expect(stored).toEqual({
      pages: row.pageCount,
      bytes: (row.sizeBytes ?? 0) - (directory?.length ?? 0),
    });
  });

  it('takes one page of PostgreSQL for each of its own', async () => {
    const list = Array.from({ length: 20_000 }, (_, i) => largeSample(i));
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    const { pageCount } = await inTransaction(lab.importer, () =>
      writeSegment(lab.importer, SCOPE, {
        shape: SHAPE,
        codec: CODEC,
        span: spanOf(list),
        ranges: gather(list).ranges(),
      }),
    );
    expect(pageCount).toBeGreaterThan(PAGES_OF_COPY);
    const [table] = await lab.rows<{ pages: number; toast: number }>(
      `select (pg_relation_size(oid) / 8192)::int as pages, reltoastrelid::int as toast
       from pg_class where relname = '${openPartition(1)}'`,
    );
    expect(table).toEqual({ pages: pageCount, toast: 0 });
  });

  it('is stored while its ranges arrive, which may be read on the same connection', async () => {
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    const list = Array.from({ length: 40_000 }, (_, i) => largeSample(i));
    const stored: number[] = [];
    async function* ranges() {
      for (const range of gather(list).ranges({ keys: 2000, rows: 100_000 })) {
        const { rows } = await lab.importer.query<{ bytes: number }>(
          'select coalesce(sum(octet_length(bytes)), 0)::int as bytes from open_segment_pages',
        );
        stored.push(rows[0]?.bytes ?? 0);
        yield range;
      }
    }
    const written = await inTransaction(lab.importer, async () => {
      const content = { shape: SHAPE, codec: CODEC, span: spanOf(list), ranges: ranges() };
      const segment = await writeSegment(lab.importer, SCOPE, content);
      await publish(lab.importer, { added: [segment] });
      return segment;
    });
    expect(stored).toHaveLength(20);
    const waiting = written.sizeBytes - (stored.at(-1) ?? 0);
    expect(waiting).toBeLessThan(COPY_BYTES + (2 * written.sizeBytes) / 20);
    expect(written.sizeBytes).toBeGreaterThan(3 * COPY_BYTES);
    expect(sorted(await lab.table())).toEqual(together(placed(plainTable(list))));
  });

  it('leaves nothing behind when its transaction is rolled back', async () => {
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    const before = await lab.manifest();
    const failing = inTransaction(lab.importer, async () => {
      const segment = await writeList(lab.importer, { list: minute(1) });
      await publish(lab.importer, { added: [segment] });
      throw new Error('the import failed');
    });
    await expect(failing).rejects.toThrow('the import failed');
    expect(await lab.manifest(before)).toBe(before);
    expect(await lab.rows('select from open_segment_pages')).toEqual([]);
  });
});

describe('two importers', () => {
  it('see nothing of each other until the commit, and wait only for the last step', async () => {
    await importLists(lab.importer, [{ list: minute(0) }]);
    const second = await lab.open();
    await lab.importer.query('begin');
    const first = await writeList(lab.importer, { list: minute(1) });
    await importLists(second, [{ list: minute(2) }]);
    expect([...(await lab.manifest()).segments.keys()]).not.toContain(first.segmentId);
    await publish(lab.importer, { added: [first] });
    await lab.importer.query('commit');
    expect(sorted(await lab.table())).toEqual(
      together(placed(plainTable([minute(0), minute(1), minute(2)].flat()))),
    );
  });

  it('get numbers in the order of their commits, even if one had to wait', async () => {
    await ensurePagePartition(lab.importer, pagePartitionOf(SCOPE));
    const second = await lab.open();
    const publishMinute = async (connection: typeof second, number: number) => {
      const added = [await writeList(connection, { list: minute(number) })];
      return publish(connection, { added });
    };
    await lab.importer.query('begin');
    const first = await publishMinute(lab.importer, 1);
    const waiting = inTransaction(second, () => publishMinute(second, 2));
    await lab.importer.query('commit');
    const later = await waiting;
    expect(later.layout).toBe(first.layout + 1);
    expect(later.version).toBe(first.version + 1);
  });

  it('make one partition when both need it at the same time', async () => {
    const second = await lab.open();
    const partition = pagePartitionOf({ ...SCOPE, sliceId: 4 });
    await Promise.all([lab.importer, second].map((each) => ensurePagePartition(each, partition)));
    const partitions = await lab.rows(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'open_segment_pages'::regclass`,
    );
    expect(partitions).toEqual([{ name: pagePartitionName(partition) }]);
  });
});

describe('publishing', () => {
  it('raises only the layout when the same readings move to other segments', async () => {
    const [segment] = await importLists(lab.importer, [{ list: minute(1) }]);
    const before = await lab.manifest();
    const after = await inTransaction(lab.importer, async () => {
      const added = [await writeList(lab.importer, { list: minute(1) })];
      const removed = [segment?.segmentId ?? 0];
      return publish(lab.importer, { changes: 'layout', added, removed });
    });
    expect(after).toEqual({ version: before.version, layout: before.layout + 1 });
  });

  it('raises the version once in a transaction whose triggers raise it too', async () => {
    const before = await lab.manifest();
    await inTransaction(lab.importer, async () => {
      await lab.importer.query(`insert into probes (context_id, name) values (1, 'p')`);
      await publish(lab.importer, {});
      await publish(lab.importer, {});
    });
    const after = await lab.manifest();
    expect(after.version).toBe(before.version + 1);
    expect(after.layout).toBe(before.layout + 2);
  });

  it('refuses to replace a segment that is dead or of another context', async () => {
    const [a, b] = await importLists(lab.importer, [{ list: minute(1) }, { list: minute(2) }]);
    const removed = [a?.segmentId ?? 0, b?.segmentId ?? 0];
    const replace = (contextId: number, segmentIds: readonly number[]) =>
      inTransaction(lab.importer, () =>
        publish(lab.importer, { contextId, changes: 'layout', removed: segmentIds }),
      );
    await expect(replace(2, removed)).rejects.toThrow(SegmentsGone);
    await replace(1, removed.slice(0, 1));
    const before = await lab.manifest();
    await expect(replace(1, removed)).rejects.toThrow(
      `Segments ${removed[0]} must be live, but died meanwhile: ` +
        'roll back, and plan again with the live segments',
    );
    expect(await lab.manifest(before)).toBe(before);
    expect([...before.segments.keys()]).toEqual([removed[1]]);
  });

  it('refuses if another publication replaces the segment while it waits for the row', async () => {
    const [segment] = await importLists(lab.importer, [{ list: minute(1) }]);
    const second = await lab.open();
    const removed = [segment?.segmentId ?? 0];
    await lab.importer.query('begin');
    await publish(lab.importer, { removed });
    const waiting = inTransaction(second, () => publish(second, { removed }));
    const refused = expect(waiting).rejects.toThrow(SegmentsGone);
    await lab.importer.query('commit');
    await refused;
  });

  it('refuses a context that does not exist', async () => {
    await expect(publish(lab.importer, { contextId: 9 })).rejects.toThrow(
      'the context 9 must exist to get segments',
    );
  });
});

describe('fetching pages', () => {
  it.skipIf(isOnCluster)(
    'takes one statement for pages of both tables, each page once',
    async () => {
      await importLists(lab.importer, [
        { list: minute(1) },
        { list: minute(2), scope: { sliceId: 2 } },
        { list: minute(3), scope: { level: SEALED_LEVEL } },
      ]);
      const texts: string[] = [];
      const source = copiesOf(lab.reader);
      const counted: typeof source = {
        copy: (copy, deadline) => {
          texts.push(copy.text);
          return source.copy(copy, deadline);
        },
      };
      const { segments } = await lab.manifest();
      const fetched = await fetchPages(
        counted,
        [...segments.values()].map((segment) => ({ segment, pages: [0, 0] })),
      );
      expect([...fetched.keys()].sort()).toEqual([...segments.keys()].sort());
      expect(texts).toHaveLength(1);
      expect((await fetchPages(counted, [])).size).toBe(0);
      expect(texts).toHaveLength(1);
    },
  );

  it.skipIf(isOnCluster)(
    'looks only into the partitions of the segments, by their primary keys',
    async () => {
      for (const sliceId of [1, 2, 3]) {
        await importLists(lab.importer, [{ list: minute(sliceId), scope: { sliceId } }]);
      }
      const later = { sliceId: 3, importedAt: DAY_START + GENERATION_SECONDS };
      await importLists(lab.importer, [{ list: minute(4), scope: later }]);
      const texts: string[] = [];
      const { segments } = await lab.manifest();
      const own = [...segments.values()].filter(
        ({ sliceId, importedAt }) => sliceId !== 2 && importedAt === DAY_START,
      );
      await fetchPages(
        {
          copy: (copy) => {
            texts.push(copy.text);
            return copiesOf(lab.reader).copy(copy);
          },
        },
        own.map((segment) => ({ segment, pages: [0] })),
      );
      const query = (texts[0] ?? '').replace(/^copy \(/, '').replace(/\) to stdout.*$/, '');
      const plan = await lab.rows(`explain (analyze, costs off, timing off) ${query}`);
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      const first = DAY_START;
      const second = later.importedAt;
      expect(text.match(/\w+_pkey on .* \(\w+/g)?.map((line) => line.split(' ')[0])).toEqual(
        [openPartition(1, first), openPartition(3, first), openPartition(3, second)].map(
          (name) => `${name}_pkey`,
        ),
      );
      // The plan has this partition, as it is of the same slice, but never executes it.
      expect(text).toMatch(new RegExp(`${openPartition(3, second)} .*never executed`));
      expect(text).not.toMatch(/Seq Scan/);
    },
  );

  it('says which page is missing', async () => {
    await importLists(lab.importer, [{ list: minute(1) }]);
    const [segment] = (await lab.manifest()).segments.values();
    if (!segment) throw new Error('there is a segment');
    const source = copiesOf(lab.reader);
    await expect(fetchPages(source, [{ segment, pages: [0, 7, 8] }])).rejects.toThrow(MissingPages);
    await expect(fetchPages(source, [{ segment, pages: [0, 7, 8] }])).rejects.toThrow(
      `Page 7 of segment ${segment.segmentId} must exist`,
    );
  });
});

describe('the shape of a group', () => {
  it('is that of its declaration', async () => {
    const shapes = await loadShapes(lab.reader, 1);
    expect(shapes.get(1)).toEqual(SHAPE);
    expect(CODEC.kinds).toEqual([shapes.get(1)?.keyKind]);
  });
});
