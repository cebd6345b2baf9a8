import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { lockContext } from '../../db/write/lock-context.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import {
  type ConversionProgress,
  convertDatabase,
  dropOldTables,
} from '../../store/convert/convert-database.ts';
import { convertSlice } from '../../store/convert/convert-slice.ts';
import { type ConvertLab, LATER, openClone, restoreMigrated } from './convert-lab.ts';
import { differences } from './plain-readings.ts';
import type { StoredDatabase } from './stored-database.ts';

let stored: StoredDatabase;
let lab: ConvertLab;

beforeAll(async () => {
  stored = await restoreMigrated();
});

afterAll(() => stored?.remove());

beforeEach(async () => {
  lab = await openClone(stored);
});

afterEach(() => lab.close());

const manifestRows = () =>
  lab.rows<{ level: number; isAlive: boolean }>(
    `select segment_id, context_id, group_id, probe_id, slice_id, level, died is null as "isAlive"
     from segments order by 1`,
  );

const REFUSED = /^countergraph 0\.8\.0 has taken over this database, and table .* takes no more/;

describe('a converted database of version 0.7', () => {
  it('has every reading of every key, bucket, probe and slice, exactly', async () => {
    const wanted = await lab.tables();
    const converted = await lab.convert();
    const found = await lab.segments();
    expect(wanted.size).toBeGreaterThan(5000);
    expect([...wanted.values()]).toContain(`${2n ** 63n - 1n}/1`);
    expect(differences(found, wanted)).toEqual([]);
    expect(found.size).toBe(wanted.size);
    const [{ samples } = { samples: 0 }] = await lab.rows<{ samples: number }>(
      'select count(*)::int as samples from samples',
    );
    expect(converted.samples).toBe(samples);
  });

  it('has one sealed segment for each group and probe of each slice', async () => {
    const { segments } = await lab.convert();
    const [wanted] = await lab.rows<{ pairs: number }>(
      'select count(distinct (slice_id, group_id, probe_id))::int as pairs from samples',
    );
    const rows = await manifestRows();
    expect(rows.every(({ level, isAlive }) => level === SEALED_LEVEL && isAlive)).toBe(true);
    expect(rows).toHaveLength(wanted?.pairs ?? 0);
    expect(segments).toBe(rows.length);
  });

  it('leaves segments of a slice that has not ended to be merged with later data', async () => {
    const wanted = await lab.tables();
    const [newest] = await lab.rows<{ id: number; starts: number }>(
      'select slice_id as id, starts_at::int as starts from slices order by ends_at desc limit 1',
    );
    await lab.convert({ now: () => newest?.starts ?? 0 });
    const levels = await lab.rows<{ level: number }>(
      'select distinct level from segments where slice_id = $1',
      [newest?.id],
    );
    expect(levels).toEqual([{ level: 0 }]);
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('has all texts of keys, and the sources of labels', async () => {
    await lab.rows(
      `update keys set description = 'has no label'
       where (group_id, shard, key_id) = (
         select group_id, shard, key_id from keys where label is null limit 1)`,
    );
    const { texts } = await lab.convert();
    const wanted = await lab.rows<{ source: string | null }>(
      `select group_id, key, label, label_source as source, description, attributes from keys
       where label is not null or description is not null or attributes is not null order by 1, 2`,
    );
    const found = await lab.rows(
      `select group_id, key, label, label_source as source, description, attributes from key_texts
       order by 1, 2`,
    );
    expect(new Set(wanted.map(({ source }) => source))).toEqual(
      new Set(['user', 'dns', 'mmdb', null]),
    );
    expect(found).toEqual(wanted);
    expect(texts).toBe(wanted.length);
  });

  it('is unchanged by a second conversion, and deleted labels stay deleted', async () => {
    await lab.convert();
    await lab.rows(`delete from key_texts where label_source = 'user'`);
    const before = await manifestRows();
    const found = await lab.segments();
    expect(await lab.convert()).toEqual({ slices: 0, samples: 0, segments: 0, texts: 0 });
    expect(await manifestRows()).toEqual(before);
    expect(differences(await lab.segments(), found)).toEqual([]);
    expect(await lab.rows(`select from key_texts where label_source = 'user'`)).toEqual([]);
  });

  it('keeps its cached answers valid, because readings are the same', async () => {
    const versions = () =>
      lab.rows('select context_id, version from context_versions order by context_id');
    const before = await versions();
    await lab.convert();
    expect(await versions()).toEqual(before);
  });
});

describe('the old tables of a converted database', () => {
  it.each([
    ['keys', `insert into keys (group_id, shard, key_id, key) values (1, 0, 999, 'A')`],
    ['labels', `update keys set label = 'new' where group_id = 1`],
    ['blocks', 'delete from topper_blocks'],
    ['series', 'truncate key_series'],
    ['block changes', 'insert into block_changes values (1, 1, 1, 0, 1)'],
    ['samples', `insert into samples_2 values (1, 1721088000, 0, 0, 0, 2, '{1}')`],
  ])('refuse writes to %s, with a message that names the version', async (_, statement) => {
    await lab.convert();
    await expect(lab.rows(statement)).rejects.toThrow(REFUSED);
  });

  it('refuse samples in a partition that the old version attaches', async () => {
    await lab.convert();
    await lab.connection.query(
      `create table samples_99 (like samples including all);
       alter table samples attach partition samples_99 for values in (99)`,
    );
    const insert = `insert into samples_99 values (1, 1721088000, 0, 0, 0, 99, '{1}')`;
    await expect(lab.rows(insert)).rejects.toThrow(REFUSED);
  });

  it('refuse a feed that waited for the conversion', async () => {
    let writing: Promise<unknown> | null = null;
    await lab.convert({
      onProgress: () => {
        writing ??= inTransaction(lab.connection, async () => {
          await lockContext(lab.connection, 1, () => undefined);
          await lab.rows(`insert into samples_2 values (1, 1721088000, 0, 0, 0, 2, '{1}')`);
        });
        writing.catch(() => undefined);
      },
    });
    await expect(writing).rejects.toThrow(REFUSED);
  });

  it('accept the samples of an import that began before, which are converted too', async () => {
    const { connection } = lab;
    await connection.query('begin');
    await lockContext(connection, 1, () => undefined);
    let writing: Promise<unknown> = Promise.resolve();
    const finishImport = async () => {
      await connection.query(
        `insert into samples_2
         select group_id, 1721088060, shard, key_id, 0, 2, '{77}' from keys
         where group_id = 1 limit 1`,
      );
      await connection.query('commit');
    };
    const waited: string[] = [];
    await lab.convert({
      onWaiting: (context) => {
        waited.push(context);
        writing = finishImport();
      },
    });
    await writing;
    expect(waited).toEqual(['lab']);
    expect(differences(await lab.segments(), await lab.tables())).toEqual([]);
  });
});

describe('converting', () => {
  it('reports its progress, the oldest slice of a context first', async () => {
    const told: ConversionProgress[] = [];
    const { slices, samples } = await lab.convert({ onProgress: (each) => told.push(each) });
    const first = told.filter(({ context }) => context === 'lab').map(({ slice }) => slice);
    expect(first).toEqual([...first].sort());
    const bytes = told.map((each) => each.bytes.done);
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    expect(told.at(-1)).toMatchObject({ samples, slices: { done: slices, of: slices } });
    expect(bytes.at(-1)).toBe(told.at(-1)?.bytes.of);
  });

  it('is done by one of two runs that begin at the same time', async () => {
    const [a, b] = await Promise.all([lab.convert(), lab.convert()]);
    expect([a.slices, b.slices].sort()).toEqual([0, a.slices + b.slices].sort());
    expect(differences(await lab.segments(), await lab.tables())).toEqual([]);
  });

  it('stops when it is aborted, and the next run continues', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const cut = lab.convert({
      signal: abort.signal,
      onProgress: ({ slices }) => slices.done === 2 && abort.abort(reason),
    });
    await expect(cut).rejects.toBe(reason);
    const [done] = await lab.rows<{ count: number }>(
      'select count(*)::int as count from converted_slices',
    );
    expect(done?.count).toBe(2);
    await lab.convert();
    expect(differences(await lab.segments(), await lab.tables())).toEqual([]);
  });

  it('says what to do about a slice without samples, and converts nothing of it', async () => {
    await lab.rows('drop table samples_2');
    await expect(lab.convert()).rejects.toThrow(
      'the samples of each slice must be in a table of its own, but samples_2 is not there: put ' +
        'it back, or drop the slice with the version that was installed before',
    );
    expect(await lab.rows('select from converted_slices where slice_id = 2')).toEqual([]);
  });

  it.each([
    ['text that is not a key', `update keys set key = 'x' || key_id where group_id = 1`, /is none/],
    ['an id without a key', 'delete from keys where group_id = 1', /ids of some are not in/],
    [
      'a group that does not exist',
      'update samples_2 set group_id = 999 where group_id = 1',
      'slice 2 has some of group 999, which is not there',
    ],
  ])('refuses %s, and leaves nothing of the slice', async (_, damage, message) => {
    await lab.rows(damage);
    const slice = { contextId: 1, sliceId: 2, endsAt: 0 };
    await expect(convertSlice(lab.connection, slice, { now: LATER })).rejects.toThrow(message);
    expect(await manifestRows()).toEqual([]);
    expect(await lab.rows(`select to_regclass('sealed_segment_pages_2') as name`)).toEqual([
      { name: null },
    ]);
  });
});

describe('dropping the old tables', () => {
  const drop = () => dropOldTables({ databaseUrl: lab.url });
  const tables = () =>
    lab.rows(
      `select relname from pg_class where relkind in ('r', 'p')
         and relname ~ '^(samples|keys|topper_blocks|key_series|coarse_|block_changes|converted_)'
       order by 1`,
    );

  it('is refused while anything is not converted', async () => {
    const before = await tables();
    await expect(drop()).rejects.toThrow(
      /must be converted before its tables are dropped, but \d+ slices and the texts of 4 contexts/,
    );
    expect(await tables()).toEqual(before);
  });

  it('keeps the segments, and nothing that they were made from', async () => {
    const wanted = await lab.tables();
    await lab.convert();
    await drop();
    expect(await tables()).toEqual([]);
    expect(differences(await lab.segments(), wanted)).toEqual([]);
    await drop();
    const again = await convertDatabase({ databaseUrl: lab.url });
    expect(again).toEqual({ slices: 0, samples: 0, segments: 0, texts: 0 });
  });

  it('keeps samples that were archived by hand, and the keys that they need', async () => {
    await lab.rows(`update slices set archived = true, archive_path = 'box 7' where slice_id = 2`);
    const count = () =>
      lab.rows(
        'select count(*)::int as count from samples_2 join keys using (group_id, shard, key_id)',
      );
    const before = await count();
    await lab.convert();
    expect(await lab.rows('select from segments where slice_id = 2')).toEqual([]);
    await drop();
    expect(await tables()).toEqual([{ relname: 'keys' }, { relname: 'samples_2' }]);
    expect(await count()).toEqual(before);
  });
});
