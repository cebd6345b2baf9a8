import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, inTransaction, openConnection } from '../../db/write/connection.ts';
import type { Guid } from '../../domain/guid.ts';
import { openImportSlices } from '../../ingest/import-slices.ts';
import { openKeyIds } from '../../ingest/key-ids.ts';
import { loadGroups } from '../../ingest/load-groups.ts';
import { createReadingWriter, type ReadingWriter } from '../../ingest/reading-writer.ts';
import type { Whole } from '../../ingest/whole.ts';
import type { SortedReadings } from '../../packing/sorted-readings.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database.ts';
import { declareSamples, GAUGES, HOSTS, NOW, query } from './import-support.ts';

const MAX = 2n ** 63n - 1n;
const BUCKET = NOW - (NOW % 60);

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  await declareSamples(database.url);
});
afterEach(() => database.drop());

type Added = { guid?: string; key?: string; bucket?: number; probe?: string; count?: Whole };

type Session = {
  /** Adds a reading; values by slot − 1. */
  readonly add: (values: (Whole | null)[], reading?: Added) => Promise<void>;
  readonly writer: ReadingWriter;
  /** What the sink was given, and how many rows of samples it saw by then. */
  readonly sunk: { readings: SortedReadings; samples: number }[];
  readonly finished: () => boolean;
  readonly newKeys: () => number;
};

/** Runs `work` with a writer into context `lab`, in a transaction of its own. */
async function writing(
  { batchRows = 1000, maxKnownBytes = 1e6 },
  work: (session: Session) => Promise<void>,
): Promise<void> {
  await withClient(database.url, async (second) => {
    const connection = await openConnection(database.url, 'test');
    try {
      await inTransaction(connection, async () => {
        const session = await openSession(connection, second, { batchRows, maxKnownBytes });
        await work(session);
        await session.writer.finish();
        expect(session.finished()).toBe(true);
      });
    } finally {
      await connection.end();
    }
  });
}

async function openSession(
  connection: Connection,
  second: Connection,
  { batchRows, maxKnownBytes }: { batchRows: number; maxKnownBytes: number },
): Promise<Session> {
  const contextId = 1;
  const groups = await loadGroups(connection, contextId);
  const keyIds = await openKeyIds(connection, contextId, maxKnownBytes);
  const place = { source: 'test', context: 'lab', contextId, sliceSeconds: 86_400, engine: 0 };
  const slices = openImportSlices({ connection, openSecond: async () => second, ...place });
  const sunk: Session['sunk'] = [];
  let finished = false;
  const sink = {
    add: async (readings: SortedReadings) => {
      const { rows } = await connection.query('select count(*)::int as n from samples');
      sunk.push({ readings, samples: rows[0].n });
    },
    finish: async () => {
      finished = true;
    },
  };
  const writer = createReadingWriter({ connection, contextId, keyIds, slices, sink }, batchRows);
  return {
    writer,
    sunk,
    finished: () => finished,
    newKeys: keyIds.madeCount,
    async add(values, { guid = HOSTS, key = 'a', bucket = BUCKET, probe, count = 1 } = {}) {
      const group = groups.get(guid as Guid);
      if (!group) throw new Error(`no group ${guid}`);
      const reading = { bucket, key: { text: key, parts: null }, values, count };
      writer.batch().add({ ...reading, group, probe: probe ?? null });
      await writer.makeRoom();
    },
  };
}

const storedRows = (guid: string) =>
  query(
    database.url,
    `select k.key, bucket::int - $2 as at, p.name as probe, readings::text, counts::text
     from samples s join counter_groups g using (group_id) join keys k using (group_id, shard, key_id)
     left join probes p using (probe_id) where g.guid = $1::uuid order by s.ctid`,
    [guid, BUCKET],
  );

describe('readings that are written', () => {
  it('are stored as they are, the largest and the smallest too', async () => {
    await writing({}, async ({ add }) => {
      const values = [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2n ** 53n, MAX];
      for (const [i, value] of values.entries()) {
        await add([value, i % 2 ? value : null], { bucket: BUCKET + i });
      }
      for (const [i, value] of [-1, -(2 ** 32), -(2 ** 53) + 1, -(2n ** 53n), -MAX].entries()) {
        await add([value, null, value], { guid: GAUGES, bucket: BUCKET + i, count: i + 1 });
      }
    });
    const row = { key: 'a', probe: null };
    expect(await storedRows(HOSTS)).toEqual([
      { ...row, at: 0, readings: '{0,NULL}', counts: null },
      { ...row, at: 1, readings: '{1,1}', counts: null },
      { ...row, at: 2, readings: '{4294967295,NULL}', counts: null },
      { ...row, at: 3, readings: '{4294967296,4294967296}', counts: null },
      { ...row, at: 4, readings: '{9007199254740991,NULL}', counts: null },
      { ...row, at: 5, readings: '{9007199254740992,9007199254740992}', counts: null },
      { ...row, at: 6, readings: '{9223372036854775807,NULL}', counts: null },
    ]);
    const low = (value: bigint) => `{${value},NULL,${value}}`;
    expect(await storedRows(GAUGES)).toEqual([
      { ...row, at: 0, readings: low(-1n), counts: null },
      { ...row, at: 1, readings: low(-(2n ** 32n)), counts: '{2,NULL,NULL}' },
      { ...row, at: 2, readings: low(-(2n ** 53n) + 1n), counts: '{3,NULL,NULL}' },
      { ...row, at: 3, readings: low(-(2n ** 53n)), counts: '{4,NULL,NULL}' },
      { ...row, at: 4, readings: low(-MAX), counts: '{5,NULL,NULL}' },
    ]);
  });

  it('are given to the sink once they are in samples, and it is told when that was all', async () => {
    await writing({ batchRows: 4 }, async ({ add, sunk, writer, finished }) => {
      await add([1, null], { probe: 'p1' });
      await add([2, null], { bucket: BUCKET - 86_400 });
      await add([3, null]);
      await add([4, null], { key: 'b' });
      await add([5, null], { key: 'c' });
      expect(finished()).toBe(false);
      await writer.finish();
      expect(
        sunk.map(({ readings, samples }) => [
          readings.rowCount,
          readings.probeId,
          readings.readings[0]?.numbers[0],
          samples,
        ]),
      ).toEqual([
        // Slices are numbered as they are met: that of the first reading comes first.
        [1, 1, 1, 4],
        [2, 0, expect.any(Number), 4],
        [1, 0, 2, 4],
        [1, 0, 5, 5],
      ]);
      expect(sunk.map(({ readings }) => readings.sliceId)).toEqual([1, 1, 2, 1]);
      expect(writer.rowCount()).toBe(5);
    });
  });

  it('combine in memory once most of them do, so that batches stay large', async () => {
    await writing({ batchRows: 10 }, async ({ add, sunk }) => {
      for (let i = 0; i < 100; i += 1) await add([1, i], { key: i % 3 ? 'a' : 'b' });
      expect(sunk).toEqual([]);
    });
    const rows = await query<{ sum: number; rows: number }>(
      database.url,
      'select sum(readings[1])::int, count(*)::int as rows from samples',
    );
    expect(rows).toEqual([{ sum: 100, rows: 2 }]);
  });
});

describe('keys', () => {
  const dense = `select group_id, shard from keys group by 1, 2
    having min(key_id) <> 0 or max(key_id) <> count(*) - 1 or count(distinct key) <> count(*)`;

  it.each([
    ['are remembered', 1e6],
    ['are forgotten after each batch', 0],
  ])('get one id each, when they %s', async (_, maxKnownBytes) => {
    const keyOf = (i: number) => `key number ${i % 37}`;
    for (const expected of [37, 0]) {
      await writing({ batchRows: 10, maxKnownBytes }, async ({ add, writer, newKeys }) => {
        for (let i = 0; i < 200; i += 1)
          await add([1, null], { key: keyOf(i), bucket: BUCKET + i });
        await writer.finish();
        expect(newKeys()).toBe(expected);
      });
    }
    expect(await query(database.url, dense)).toEqual([]);
    const rows = await storedRows(HOSTS);
    expect(rows).toHaveLength(400);
    expect(rows.every(({ key, at }) => key === keyOf(Number(at)))).toBe(true);
  });

  it('are stored letter by letter', async () => {
    const texts = ['a\\b', '{"x"}', 'söme 😀', 'x'.repeat(512), ',', 'NULL', '\\N'];
    await writing({}, async ({ add }) => {
      for (const key of texts) await add([1, null], { key });
    });
    const rows = await query<{ key: string }>(database.url, 'select key, part_1 from keys');
    expect(rows.map(({ key }) => key).sort()).toEqual(texts.sort());
    expect(rows[0]).toMatchObject({ part_1: null });
  });
});
