import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PARTITION_REMOVAL_LOCK } from '../../../db/advisory-locks.ts';
import { PAGE_LOCKS, pagePartitionOf } from '../../../db/page-tables.ts';
import {
  ensurePagePartition,
  holdPagePartition,
  selectPartitioned,
} from '../../../db/sql/page-partitions.ts';
import {
  dropDistributed,
  type PageRemoval,
  removeIdlePartitions,
  removePagePartitions,
} from '../../../db/sql/remove-partitions.ts';
import { SETTLED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { asOtherRole } from '../../support/database/as-other-role.ts';
import { nameOf, openIn, openPageLab, type PageLab, sealedIn } from './page-lab.ts';

let lab: PageLab;

beforeAll(async () => {
  lab = await openPageLab();
});

afterEach(() => lab.empty());

afterAll(() => lab.close());

describe('slices that have a partition for pages', () => {
  it('are those with sealed or open pages, even if the partition is detached', async () => {
    await lab.create(sealedIn(81), openIn(82), openIn(83, 0), sealedIn(84), openIn(84));
    await lab.rowsOf('create table sealed_segment_pages_85 (like sealed_segment_pages)');
    const found = await selectPartitioned(lab.connection, [8, 81, 82, 83, 84, 85, 86]);
    expect(found.sort((a, b) => a - b)).toEqual([81, 82, 83, 84, 85]);
    expect(await selectPartitioned(lab.connection, [82, 86])).toEqual([82]);
  });
});

const remove = (changes: Partial<PageRemoval> = {}) =>
  removePagePartitions(lab.connection, {
    isNeeded: () => 'false',
    mayRemove: async () => true,
    waitMs: 5000,
    ...changes,
  });

describe('the removal of partitions', () => {
  it('removes those that are not needed from both tables, and keeps the others’ pages', async () => {
    await lab.create(sealedIn(81), openIn(81), openIn(81, 2));
    await lab.store(sealedIn(82), 1, 3);
    await lab.rowsOf('create table open_segment_pages_83_1 (like open_segment_pages)');
    await remove({ isNeeded: ({ slice }) => `${slice} = 82` });
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(82))]);
    expect(await lab.rowsOf('select page from sealed_segment_pages order by 1')).toEqual([
      { page: 0 },
      { page: 1 },
      { page: 2 },
    ]);
    expect(await lab.rowsOf('show statement_timeout')).toEqual([{ statement_timeout: '0' }]);
  });

  it('asks before it removes anything, and only if there is something to remove', async () => {
    await lab.create(sealedIn(81));
    let asked = 0;
    const mayRemove = async () => {
      asked += 1;
      return false;
    };
    await remove({ isNeeded: () => 'true', mayRemove });
    expect(asked).toBe(0);
    await remove({ mayRemove });
    expect(asked).toBe(1);
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
  });

  it('checks again after it has asked, because the partition may be needed by then', async () => {
    await lab.create(sealedIn(81), sealedIn(82));
    const mayRemove = async () => {
      await lab.add(lab.segment(1, sealedIn(82)));
      return true;
    };
    await remove({
      isNeeded: ({ holds }) => `exists (select from segments s where ${holds('s')})`,
      mayRemove,
    });
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(82))]);
  });

  it('leaves everything of a table to another process that is removing', async () => {
    await lab.create(sealedIn(81), openIn(81));
    const values = [PARTITION_REMOVAL_LOCK, PAGE_LOCKS.sealed_segment_pages.removal];
    await lab.other.query('select pg_advisory_lock($1, $2)', values);
    await remove();
    await lab.other.query('select pg_advisory_unlock($1, $2)', values);
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
    await remove();
    expect(await lab.partitions()).toEqual([]);
  });

  it('leaves to the next time what a reader keeps it waiting for', async () => {
    await lab.create(sealedIn(81));
    const endReading = await lab.readSealedPages(lab.other);
    await remove({ waitMs: 100 });
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
    await endReading();
    await remove();
    expect(await lab.partitions()).toEqual([]);
  });
});

describe('a partition that cannot be removed', () => {
  const view = `of_${nameOf(sealedIn(82))}`;

  afterEach(() => lab.rowsOf(`drop view if exists ${view}`));

  it('is returned with the reason, and the others are removed', async () => {
    await lab.create(sealedIn(81), openIn(82), sealedIn(82), sealedIn(83));
    await lab.rowsOf(`create view ${view} as select from ${nameOf(sealedIn(82))}`);
    const partition = nameOf(sealedIn(82));
    const refused = [{ partition, sliceId: 82, reason: `${view} depends on it` }];
    let asked = 0;
    const mayRemove = async () => {
      asked += 1;
      return true;
    };
    expect(await remove({ mayRemove })).toEqual(refused);
    expect(await lab.partitions()).toEqual([partition]);
    // For the table of open pages, and for the others of sealed pages.
    expect(asked).toBe(2);
    expect(await remove({ mayRemove })).toEqual(refused);
    expect(asked).toBe(2);
    // It is not detached either, so the slice can still be restored.
    await ensurePagePartition(lab.connection, pagePartitionOf(sealedIn(82)));
    await lab.rowsOf(`drop view ${view}`);
    expect(await remove()).toEqual([]);
    expect(await lab.partitions()).toEqual([]);
  });

  it('may belong to another role', async () => {
    await lab.create(sealedIn(81));
    const rights = 'select on segments, slices';
    await asOtherRole(lab.connection, rights, async () => {
      expect(await remove()).toEqual([
        {
          partition: nameOf(sealedIn(81)),
          sliceId: 81,
          reason: expect.stringMatching(/^it belongs to role \w+$/),
        },
      ]);
    });
  });
});

describe('partitions', () => {
  it('are created in the schema of their table, whatever comes first in search_path', async () => {
    await lab.rowsOf('create schema first');
    await lab.connection.query('set search_path = first, public');
    await lab.create(sealedIn(81), openIn(81));
    const schemas = await lab.rowsOf<{ schema: string }>(
      `select distinct relnamespace::regnamespace::text as schema from pg_class
       where relname ~ '^(open|sealed)_segment_pages_81'`,
    );
    expect(schemas).toEqual([{ schema: 'public' }]);
    expect(await remove()).toEqual([]);
    expect(await lab.partitions()).toEqual([]);
    await lab.connection.query('reset search_path');
  });

  it('are told from copies in another schema, which stay', async () => {
    await lab.create(sealedIn(81));
    await lab.rowsOf(
      `create schema backup; create table backup.sealed_segment_pages_81 as
       select from sealed_segment_pages_81;
       create table backup.open_segment_pages_82_1 (like open_segment_pages)`,
    );
    await lab.connection.query('set search_path = backup, public');
    expect(await remove()).toEqual([]);
    await lab.connection.query('reset search_path');
    const rows = await lab.rowsOf<{ table: string }>(
      `select oid::regclass::text as "table" from pg_class
       where relkind = 'r' and relname ~ '_segment_pages_[0-9]' order by 1`,
    );
    expect(rows.map(({ table }) => table)).toEqual([
      'backup.open_segment_pages_82_1',
      'backup.sealed_segment_pages_81',
    ]);
    await lab.rowsOf('drop schema backup cascade');
  });

  it('that an earlier version created in another schema are removed, too', async () => {
    await lab.rowsOf('create schema if not exists first');
    await lab.connection.query('set search_path = first, public');
    await lab.rowsOf(
      `create table first.sealed_segment_pages_81 (like sealed_segment_pages including all);
       alter table sealed_segment_pages attach partition first.sealed_segment_pages_81
       for values in (81)`,
    );
    expect(await remove()).toEqual([]);
    expect(await lab.partitions()).toEqual([]);
    await lab.connection.query('reset search_path');
  });
});

describe('a half-detached partition', () => {
  it('keeps others waiting until whoever detaches it has finished', async () => {
    await lab.create(sealedIn(81), sealedIn(82));
    const endReading = await lab.readSealedPages(lab.other);
    // Long enough for the detach to begin, which then waits for the reader.
    await remove({ isNeeded: ({ slice }) => `${slice} = 82`, waitMs: 1000 });
    await endReading();
    expect(await remove({ isNeeded: ({ slice }) => `${slice} = 81` })).toEqual([]);
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81)), nameOf(sealedIn(82))]);
    expect(await remove()).toEqual([]);
    expect(await lab.partitions()).toEqual([]);
  });
});

describe('a half-detached partition that cannot be removed', () => {
  it('keeps no others from being removed', async () => {
    await lab.create(sealedIn(81), sealedIn(82));
    const endReading = await lab.readSealedPages(lab.other);
    await remove({ isNeeded: ({ slice }) => `${slice} = 82`, waitMs: 1000 });
    await endReading();
    const partition = nameOf(sealedIn(81));
    await lab.rowsOf(`create view in_the_way as select from ${partition}`);
    expect(await remove()).toMatchObject([{ partition, sliceId: 81 }]);
    expect(await lab.partitions()).toEqual([partition]);
    await lab.rowsOf('drop view in_the_way');
    expect(await remove()).toEqual([]);
    expect(await lab.partitions()).toEqual([]);
  });
});

describe('a partition that is held', () => {
  it('stays from before it exists until it is released, while others are removed', async () => {
    const held = pagePartitionOf(sealedIn(81));
    const release = await holdPagePartition(lab.other, held);
    // Only its holder can create it.
    await ensurePagePartition(lab.other, held);
    await lab.create(sealedIn(82));
    await lab.other.query('begin; commit');
    await remove();
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
    await release();
    await remove();
    expect(await lab.partitions()).toEqual([]);
  });

  it('can be held by several at once', async () => {
    const held = pagePartitionOf(openIn(81));
    await lab.create(openIn(81));
    const release = await holdPagePartition(lab.other, held);
    const releaseAlso = await holdPagePartition(lab.connection, held);
    await releaseAlso();
    await remove();
    expect(await lab.partitions()).toEqual([nameOf(openIn(81))]);
    await release();
  });
});

describe('idle partitions', () => {
  it('are those without a segment in the manifest, whether it is live or dead', async () => {
    const settled = { ...openIn(83), level: SETTLED_LEVEL };
    const places = [sealedIn(81), sealedIn(82), openIn(81), openIn(81, 2), settled, openIn(84)];
    await lab.create(...places);
    await lab.add(
      lab.segment(1, sealedIn(81)),
      lab.segment(2, openIn(81, 2)),
      lab.segment(3, settled),
      lab.segment(4, openIn(84)),
    );
    await lab.kill(1, 4);
    await removeIdlePartitions(lab.connection);
    expect(await lab.partitions()).toEqual([
      nameOf(openIn(81, 2)),
      nameOf(settled),
      nameOf(openIn(84)),
      nameOf(sealedIn(81)),
    ]);
  });
});

describe('the partition of a distributed table', () => {
  const drop = (waitMs: number, mayDrop = async () => true) =>
    dropDistributed(lab.connection, { name: nameOf(sealedIn(81)), waitMs, mayDrop });

  it('is dropped, and nothing happens if there is none', async () => {
    await lab.create(sealedIn(81), sealedIn(82));
    await drop(5000);
    await drop(5000);
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(82))]);
  });

  it('stays if a reader never lets go, and readers go on', async () => {
    await lab.create(sealedIn(81));
    const endReading = await lab.readSealedPages(lab.other);
    await expect(drop(0)).rejects.toMatchObject({ code: '55P03' });
    await lab.other.query('select count(*) from sealed_segment_pages');
    await endReading();
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
  });

  it('stays as long as it may not be dropped, without a lock', async () => {
    await lab.create(sealedIn(81));
    await drop(5000, async () => false);
    expect(await lab.partitions()).toEqual([nameOf(sealedIn(81))]);
  });

  it('is dropped as soon as the reader is done', async () => {
    await lab.create(sealedIn(81));
    const endReading = await lab.readSealedPages(lab.other);
    const dropping = drop(60_000);
    const waiting = () =>
      lab.other.query(
        `select from pg_locks join pg_database d on d.oid = database
         where not granted and datname = current_database()`,
      );
    await expect.poll(async () => (await waiting()).rows.length, { interval: 10 }).toBe(1);
    await endReading();
    await dropping;
    expect(await lab.partitions()).toEqual([]);
  });
});
