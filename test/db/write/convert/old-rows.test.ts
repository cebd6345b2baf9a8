import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CopySource, copiesOf } from '../../../../db/session/copy-source.ts';
import { copyOldTexts } from '../../../../db/write/convert/copy-old-texts.ts';
import { type OldKeyRead, readOldKeys } from '../../../../db/write/convert/old-keys.ts';
import {
  type BlockSpan,
  KEY_ID_BYTES,
  type OldSamples,
  readOldSamples,
} from '../../../../db/write/convert/old-samples.ts';
import { selectBlockCount } from '../../../../db/write/convert/old-tables.ts';
import type { TestDatabase } from '../../../support/database/database.ts';
import { createOldDatabase, type OldDatabase, openOldClone } from './old-database.ts';

let template: TestDatabase;
let old: OldDatabase;
let source: CopySource;

beforeAll(async () => {
  template = await createOldDatabase();
  old = await openOldClone(template);
  source = copiesOf(old.connection);
});

afterAll(async () => {
  await old.close();
  await template.drop();
});

/** The id of a key in a row of samples or keys, as text. */
const idAt = (bytes: Buffer, at: number): string =>
  `${bytes.readInt16BE(at)}/${bytes.readInt32BE(at + KEY_ID_BYTES - 4)}`;

describe('reading old samples', () => {
  type Numbers = [place: number, value: number | bigint][];

  function rowsOf(samples: OldSamples) {
    const rows: object[] = [];
    while (samples.next()) {
      const readings: Numbers = [];
      const counts: Numbers = [];
      samples.eachReading((place, value) => readings.push([place, value]));
      samples.eachCount((place, value) => counts.push([place, value]));
      const { groupId, probeId, bucket } = samples;
      rows.push({
        groupId,
        probeId,
        bucket,
        id: idAt(samples.bytes, samples.keyIdAt),
        readings,
        counts,
      });
    }
    return rows;
  }

  const read = async (table: string, span: BlockSpan) =>
    rowsOf(await readOldSamples(source, table, span));

  it('gives each field of each row, in physical order, without readings that are null', async () => {
    await old.addPartition(1);
    await old.connection.query(
      `insert into samples (slice_id, group_id, probe_id, shard, key_id, bucket, readings, counts)
       values (1, 9, 4, 255, 70000, 1721001600, '{5,null,7}', null),
         (1, 3, 0, 0, 1, 8589934593, '{-5,0}', '{2,null}'),
         (1, 3, 0, 0, 2, 0, '{}', null),
         (1, 3, 0, 0, 3, 60, '{9007199254740991,9007199254740992,9223372036854775807}', '{1,2,3}')`,
    );
    const rest = { groupId: 3, probeId: 0 };
    const large = [Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 63n - 1n];
    expect(await read('samples_1', { from: 0, to: 1 })).toEqual([
      {
        groupId: 9,
        probeId: 4,
        bucket: 1_721_001_600,
        id: '255/70000',
        readings: [
          [0, 5],
          [2, 7],
        ],
        counts: [],
      },
      {
        ...rest,
        bucket: 2 ** 33 + 1,
        id: '0/1',
        readings: [
          [0, -5],
          [1, 0],
        ],
        counts: [[0, 2]],
      },
      { ...rest, bucket: 0, id: '0/2', readings: [], counts: [] },
      {
        ...rest,
        bucket: 60,
        id: '0/3',
        readings: large.map((value, place) => [place, value]),
        counts: [1, 2, 3].map((value, place) => [place, value]),
      },
    ]);
  });

  it('gives the rows of the span of blocks, whose end is not part of it', async () => {
    await old.addPartition(2, 500);
    const blocks = await selectBlockCount(old.connection, 'samples_2');
    const perBlock = await old.rows<{ rows: number }>(
      `select count(*)::int as rows from samples_2
       group by (ctid::text::point)[0] order by (ctid::text::point)[0]`,
    );
    expect(perBlock.length).toBeGreaterThan(2);
    const first = await read('samples_2', { from: 0, to: 1 });
    const others = await read('samples_2', { from: 1, to: blocks });
    expect(first).toHaveLength(perBlock[0]?.rows ?? 0);
    expect([...first, ...others]).toEqual(await read('samples_2', { from: 0, to: blocks }));
    expect([...first, ...others]).toHaveLength(500);
    expect(await read('samples_2', { from: blocks, to: blocks + 1 })).toEqual([]);
  });
});

describe('reading old keys', () => {
  async function read(wanted: Omit<OldKeyRead, 'table'>): Promise<[id: string, key: string][]> {
    const found: [string, string][] = [];
    await readOldKeys(source, { table: 'keys', ...wanted }, (bytes, at, from, to) =>
      found.push([idAt(bytes, at), bytes.toString('utf8', from, to)]),
    );
    return found.sort();
  }

  it('gives those of the group in the runs, of which both ends are part', async () => {
    await old.connection.query(
      `insert into keys (group_id, shard, key_id, key)
       select group_id, shard, key_id, group_id || ' ' || shard || ' ' || key_id
       from unnest('{1001,1002}'::int[]) as group_id, unnest('{0,300}'::int[]) as shard,
         generate_series(1, 6) as key_id`,
    );
    const runs = [
      { shard: 0, first: 2, last: 3 },
      { shard: 0, first: 5, last: 5 },
      { shard: 300, first: 6, last: 1000 },
    ];
    expect(await read({ groupId: 1002, runs })).toEqual([
      ['0/2', '1002 0 2'],
      ['0/3', '1002 0 3'],
      ['0/5', '1002 0 5'],
      ['300/6', '1002 300 6'],
    ]);
    expect(await read({ groupId: 1003, runs })).toEqual([]);
  });

  it('gives texts of any length and script', async () => {
    const keys = ['', 'ключ 🔑', 'x'.repeat(1000)];
    await old.connection.query(
      `insert into keys (group_id, shard, key_id, key)
       select 1004, 0, place, key from unnest($1::text[]) with ordinality as k(key, place)`,
      [keys],
    );
    expect(await read({ groupId: 1004, runs: [{ shard: 0, first: 1, last: 3 }] })).toEqual(
      keys.map((key, place) => [`0/${place + 1}`, key]),
    );
  });

  it('reads nothing for no runs', async () => {
    const failing = { copy: () => Promise.reject(new Error('nothing is to be read')) };
    const wanted = { table: 'keys', groupId: 1, runs: [] };
    await readOldKeys(failing, wanted, () => {
      throw new Error('there are no keys');
    });
  });
});

describe('copying old texts', () => {
  const addKeys = async (groupId: number, keys: readonly (string | null)[][]): Promise<void> => {
    for (const [place, values] of keys.entries()) {
      await old.connection.query(
        `insert into keys (group_id, shard, key_id, key, label, label_source, description,
           attributes)
         values ($1, 0, $2, $3, $4, $5, $6, $7)`,
        [groupId, place, ...values],
      );
    }
  };

  const textsOf = (groupId: number) =>
    old.rows(
      `select key, label, label_source as source, description, attributes,
         archived_until::float8 as until
       from key_texts where group_id = $1 order by key`,
      [groupId],
    );

  it('copies labels with their sources, descriptions and attributes of these groups', async () => {
    const contextId = await old.addContext('texts');
    const groupId = await old.addGroup(contextId, 1);
    const other = await old.addGroup(contextId, 2);
    await addKeys(groupId, [
      ['by hand', 'A', 'user', null, null],
      ['by nobody', 'B', null, 'is described', null],
      ['has attributes', null, null, null, '{"site":"x"}'],
      ['has a source only', null, 'dns', null, null],
      ['is described', null, 'dns', 'of an unknown name', null],
      ['is bare', null, null, null, null],
    ]);
    await addKeys(other, [['elsewhere', 'C', 'user', null, null]]);
    expect(await copyOldTexts(old.connection, [groupId])).toBe(4);
    const bare = { label: null, source: null, description: null, attributes: null, until: null };
    expect(await textsOf(groupId)).toEqual([
      { ...bare, key: 'by hand', label: 'A', source: 'user' },
      { ...bare, key: 'by nobody', label: 'B', source: 'user', description: 'is described' },
      { ...bare, key: 'has attributes', attributes: { site: 'x' } },
      { ...bare, key: 'is described', description: 'of an unknown name' },
    ]);
    expect(await textsOf(other)).toEqual([]);
  });

  it('leaves texts that are there already', async () => {
    const groupId = await old.addGroup(await old.addContext('again'), 1);
    await addKeys(groupId, [['a', 'old', 'user', null, null]]);
    expect(await copyOldTexts(old.connection, [groupId])).toBe(1);
    await old.connection.query("update key_texts set label = 'new' where group_id = $1", [groupId]);
    await old.connection.query('update keys set description = label where group_id = $1', [
      groupId,
    ]);
    expect(await copyOldTexts(old.connection, [groupId])).toBe(0);
    expect(await textsOf(groupId)).toMatchObject([{ label: 'new', description: null }]);
  });

  it('keeps looked-up labels until the last archived slice of the context ends', async () => {
    const archiving = await old.addContext('archiving');
    const keeping = await old.addContext('keeping');
    await old.addSlice({ contextId: archiving, day: 7, archived: 'to a file' });
    await old.addSlice({ contextId: archiving, day: 5, archived: 'by hand' });
    await old.addSlice({ contextId: archiving, day: 9 });
    await old.addSlice({ contextId: keeping, day: 9 });
    const groups = [await old.addGroup(archiving, 1), await old.addGroup(keeping, 1)];
    const [archived = 0, kept = 0] = groups;
    for (const groupId of groups) {
      await addKeys(groupId, [
        ['dns', 'A', 'dns', null, null],
        ['mmdb', 'B', 'mmdb', null, null],
        ['none', 'C', null, null, null],
        ['user', 'D', 'user', null, null],
      ]);
    }
    expect(await copyOldTexts(old.connection, groups)).toBe(8);
    const untilOf = async (groupId: number) => (await textsOf(groupId)).map(({ until }) => until);
    expect(await untilOf(archived)).toEqual([8 * 86_400, 8 * 86_400, null, null]);
    expect(await untilOf(kept)).toEqual([0, 0, null, null]);
  });
});
