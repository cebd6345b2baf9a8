import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dropOldTables } from '../../../../db/write/convert/drop-old-tables.ts';
import { freezeOldTables } from '../../../../db/write/convert/freeze-old-tables.ts';
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

const REFUSED = /^countergraph 0\.8\.0 has taken over this database, and table .* takes no more/;

const run = (text: string) => old.connection.query(text);

const INSERT_KEY = "insert into keys (group_id, shard, key_id, key) values (1, 0, 1, 'a')";

const insertSample = (table: string, sliceId: number): string =>
  `insert into ${table} (group_id, bucket, shard, key_id, probe_id, slice_id, readings)
   values (1, 60, 0, 1, 0, ${sliceId}, '{1}')`;

describe('freezing the old tables', () => {
  it('makes each plain one refuse every change', async () => {
    const changes = [
      'keys',
      'topper_blocks',
      'key_series',
      'coarse_blocks',
      'block_changes',
    ].flatMap((table) => [
      `insert into ${table} default values`,
      `update ${table} set group_id = 2`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]);
    await freezeOldTables(old.connection);
    for (const change of changes) await expect(run(change), change).rejects.toThrow(REFUSED);
  });

  it('makes samples refuse every change of a row, in partitions too', async () => {
    await old.addPartition(1, 1);
    await freezeOldTables(old.connection);
    await old.connection.query('create table samples_2 (like samples including all)');
    await run('alter table samples attach partition samples_2 for values in (2)');
    const changes = [
      insertSample('samples', 1),
      insertSample('samples_1', 1),
      insertSample('samples_2', 2),
      'update samples set bucket = 120',
      'delete from samples_1',
    ];
    for (const change of changes) await expect(run(change), change).rejects.toThrow(REFUSED);
    expect(await old.rows('select slice_id from samples')).toEqual([{ slice_id: 1 }]);
  });

  it('does nothing the second time', async () => {
    const triggers = () =>
      old.rows(`select oid, tgrelid from pg_trigger where tgname = 'refuse_old_writes' order by 1`);
    await freezeOldTables(old.connection);
    const before = await triggers();
    expect(before).toHaveLength(6);
    await freezeOldTables(old.connection);
    expect(await triggers()).toEqual(before);
  });

  it('waits for a transaction that writes to them', async () => {
    const writer = await old.openAnother();
    await writer.query('begin');
    await writer.query(INSERT_KEY);
    const freezing = freezeOldTables(await old.openAnother());
    await expect.poll(old.waiting).toBe(1);
    await writer.query('commit');
    await freezing;
    expect(await old.rows('select key from keys')).toEqual([{ key: 'a' }]);
    await expect(run(INSERT_KEY)).rejects.toThrow(REFUSED);
  });
});

describe('dropping the old tables', () => {
  const OLD_TABLES = [
    'block_changes',
    'coarse_blocks',
    'converted_slices',
    'converted_texts',
    'key_series',
    'keys',
    'samples',
    'topper_blocks',
  ];

  /** The old tables that are left, with the partitions of samples or what was one. */
  const left = async (): Promise<string[]> => {
    const rows = await old.rows<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and (relname = any($1::text[]) or relname ~ '^samples_') order by 1`,
      [OLD_TABLES],
    );
    return rows.map(({ name }) => name);
  };

  /** The old columns and functions that are left. */
  const remains = async (): Promise<string[]> => {
    const rows = await old.rows<{ name: string }>(
      `select column_name as name from information_schema.columns
       where (table_name, column_name) in (('counter_groups', 'shard_count'), ('slices', 'packed'))
       union all select proname from pg_proc where proname = 'refuse_old_writes' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  /** Adds a slice of each kind, with a partition of two samples; returns their names. */
  async function addSlices() {
    const contextId = await old.addContext('lab');
    const open = await old.addSlice({ contextId, day: 1 });
    const filed = await old.addSlice({ contextId, day: 2, archived: 'to a file' });
    const byHand = await old.addSlice({ contextId, day: 3, archived: 'by hand' });
    for (const sliceId of [open, filed, byHand]) await old.addPartition(sliceId, 2);
    return { open: `samples_${open}`, filed: `samples_${filed}`, byHand: `samples_${byHand}` };
  }

  it('leaves nothing of them, not even partitions of slices that are gone', async () => {
    const contextId = await old.addContext('lab');
    await old.addPartition(await old.addSlice({ contextId, day: 1 }), 2);
    await old.addPartition(await old.addSlice({ contextId, day: 2, archived: 'to a file' }), 2);
    await old.addSlice({ contextId, day: 3, archived: 'by hand' });
    await old.addPartition(1000, 2);
    await freezeOldTables(old.connection);
    expect(await left()).toEqual(expect.arrayContaining([...OLD_TABLES, 'samples_1000']));
    expect(await remains()).toEqual(['packed', 'refuse_old_writes', 'shard_count']);
    await dropOldTables(old.connection);
    expect(await left()).toEqual([]);
    expect(await remains()).toEqual([]);
  });

  it('keeps samples of slices that were archived by hand, and then keys', async () => {
    const { open, filed, byHand } = await addSlices();
    await run(INSERT_KEY);
    await freezeOldTables(old.connection);
    expect(await left()).toEqual([...OLD_TABLES, open, filed, byHand].sort());
    await dropOldTables(old.connection);
    expect(await left()).toEqual(['keys', byHand]);
    expect(await remains()).toEqual(['refuse_old_writes']);
    expect(await old.rows(`select count(*)::int from ${byHand}`)).toEqual([{ count: 2 }]);
    expect(await old.rows('select key from keys')).toEqual([{ key: 'a' }]);
    await expect(run('delete from keys')).rejects.toThrow(REFUSED);
  });

  it('keeps keys also if such samples were detached by hand', async () => {
    const { byHand } = await addSlices();
    await run(`alter table samples detach partition ${byHand}`);
    await dropOldTables(old.connection);
    expect(await left()).toEqual(['keys', byHand]);
  });

  it('can be run again if it was interrupted', async () => {
    const { byHand } = await addSlices();
    await run('create view user_view as select * from topper_blocks');
    await expect(dropOldTables(old.connection)).rejects.toThrow('other objects depend on them');
    expect(await left()).toEqual([...OLD_TABLES, byHand].sort());
    expect(await remains()).toEqual(['packed', 'refuse_old_writes', 'shard_count']);
    await run('drop view user_view');
    await dropOldTables(old.connection);
    expect(await left()).toEqual(['keys', byHand]);
  });
});
