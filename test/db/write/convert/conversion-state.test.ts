import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  markSliceConverted,
  markTextsConverted,
  selectUnconverted,
} from '../../../../db/write/convert/conversion-state.ts';
import { lockConversion } from '../../../../db/write/convert/lock-conversion.ts';
import {
  oldPartitionName,
  oldTablesOf,
  selectBlockCount,
  selectHasOldTables,
  selectIsTable,
} from '../../../../db/write/convert/old-tables.ts';
import {
  selectOldContexts,
  selectOldSlices,
} from '../../../../db/write/convert/select-old-slices.ts';
import type { TestDatabase } from '../../../support/database/database.ts';
import { createOldDatabase, type OldDatabase, openOldClone } from './old-database.ts';

let template: TestDatabase;
let old: OldDatabase;

beforeAll(async () => {
  template = await createOldDatabase();
});

afterAll(() => template.drop());

beforeEach(async () => {
  old = await openOldClone(template);
});

afterEach(() => old.close());

describe('marking as converted', () => {
  it('succeeds once for each slice', async () => {
    const contextId = await old.addContext('lab');
    const first = await old.addSlice({ contextId, day: 1 });
    const second = await old.addSlice({ contextId, day: 2 });
    expect(await markSliceConverted(old.connection, first)).toBe(true);
    expect(await markSliceConverted(old.connection, first)).toBe(false);
    expect(await markSliceConverted(old.connection, second)).toBe(true);
  });

  it('succeeds once for the texts of each context', async () => {
    const first = await old.addContext('first');
    const second = await old.addContext('second');
    expect(await markTextsConverted(old.connection, first)).toBe(true);
    expect(await markTextsConverted(old.connection, first)).toBe(false);
    expect(await markTextsConverted(old.connection, second)).toBe(true);
  });

  it.each([
    ['commit', false],
    ['rollback', true],
  ])('waits for another transaction that does the same, until its %s', async (end, succeeds) => {
    const contextId = await old.addContext('lab');
    const sliceId = await old.addSlice({ contextId, day: 1 });
    const other = await old.openAnother();
    await other.query('begin');
    await markSliceConverted(other, sliceId);
    await markTextsConverted(other, contextId);
    const another = await old.openAnother();
    const slice = markSliceConverted(another, sliceId);
    await expect.poll(old.waiting).toBe(1);
    await other.query(end);
    expect(await slice).toBe(succeeds);
    expect(await markTextsConverted(another, contextId)).toBe(succeeds);
  });
});

describe('what is left to convert', () => {
  it('is each context without converted texts, and each slice that is in tables', async () => {
    const first = await old.addContext('first');
    const second = await old.addContext('second');
    const converted = await old.addSlice({ contextId: first, day: 1 });
    await old.addSlice({ contextId: first, day: 2 });
    await old.addSlice({ contextId: second, day: 2 });
    await old.addSlice({ contextId: first, day: 3, archived: 'to a file' });
    await old.addSlice({ contextId: first, day: 4, archived: 'by hand' });
    expect(await selectUnconverted(old.connection)).toEqual({ contexts: 2, slices: 3 });
    await markSliceConverted(old.connection, converted);
    await markTextsConverted(old.connection, second);
    expect(await selectUnconverted(old.connection)).toEqual({ contexts: 1, slices: 2 });
  });

  it('is nothing in an empty database', async () => {
    expect(await selectUnconverted(old.connection)).toEqual({ contexts: 0, slices: 0 });
  });
});

describe('selecting old contexts', () => {
  it('gives all of them in order of ids', async () => {
    const later = await old.addContext('zoo');
    const sooner = await old.addContext('ark');
    expect(await selectOldContexts(old.connection)).toEqual([
      { contextId: later, name: 'zoo' },
      { contextId: sooner, name: 'ark' },
    ]);
  });
});

describe('selecting old slices', () => {
  it('gives those of the context that are in tables and not converted, oldest first', async () => {
    const contextId = await old.addContext('lab');
    const other = await old.addContext('other');
    const third = await old.addSlice({ contextId, day: 2, engine: 1 });
    const second = await old.addSlice({ contextId, day: 2 });
    const first = await old.addSlice({ contextId, day: 1, engine: 1 });
    await markSliceConverted(old.connection, await old.addSlice({ contextId, day: 1 }));
    await old.addSlice({ contextId, day: 3, archived: 'to a file' });
    await old.addSlice({ contextId, day: 4, archived: 'by hand' });
    await old.addSlice({ contextId: other, day: 1 });
    await old.addPartition(second, 1);
    const dayOf = (day: number) => ({ startsAt: 86_400 * day, endsAt: 86_400 * (day + 1) });
    expect(await selectOldSlices(old.connection, contextId)).toEqual([
      { contextId, sliceId: first, engine: 1, ...dayOf(1), sizeBytes: 0 },
      { contextId, sliceId: second, engine: 0, ...dayOf(2), sizeBytes: 8192 },
      { contextId, sliceId: third, engine: 1, ...dayOf(2), sizeBytes: 0 },
    ]);
  });
});

describe('the lock for converting', () => {
  it('is waited for until the connection that holds it ends', async () => {
    const holder = await old.openAnother();
    await lockConversion(holder);
    const locking = lockConversion(await old.openAnother());
    await expect.poll(old.waiting).toBe(1);
    await holder.end();
    await locking;
    expect(await old.waiting()).toBe(0);
  });

  it('lasts longer than a transaction', async () => {
    const holder = await old.openAnother();
    await holder.query('begin');
    await lockConversion(holder);
    await holder.query('commit');
    const locks = await holder.query(
      `select mode from pg_locks where locktype = 'advisory' and granted
         and pid = pg_backend_pid()`,
    );
    expect(locks.rows).toEqual([{ mode: 'ExclusiveLock' }]);
  });
});

describe('the tables of version 0.7', () => {
  it('are the partition of a slice, and the keys of all slices', () => {
    expect(oldPartitionName(17)).toBe('samples_17');
    expect(oldTablesOf(17)).toEqual({ samples: 'samples_17', keys: 'keys' });
  });

  it('are there until the one that records conversions is dropped', async () => {
    expect(await selectHasOldTables(old.connection)).toBe(true);
    await old.connection.query('drop table samples');
    expect(await selectHasOldTables(old.connection)).toBe(true);
    await old.connection.query('drop table converted_slices');
    expect(await selectHasOldTables(old.connection)).toBe(false);
  });

  it('are found by name', async () => {
    await old.addPartition(3);
    expect(await selectIsTable(old.connection, 'samples_3')).toBe(true);
    expect(await selectIsTable(old.connection, 'samples_4')).toBe(false);
  });

  it('are measured in whole blocks', async () => {
    await old.addPartition(1);
    await old.addPartition(2, 1);
    await old.addPartition(3, 500);
    expect(await selectBlockCount(old.connection, 'samples_1')).toBe(0);
    expect(await selectBlockCount(old.connection, 'samples_2')).toBe(1);
    const [last] = await old.rows<{ block: number }>(
      'select max((ctid::text::point)[0])::int as block from samples_3',
    );
    expect(last?.block).toBeGreaterThan(1);
    expect(await selectBlockCount(old.connection, 'samples_3')).toBe((last?.block ?? 0) + 1);
  });
});
