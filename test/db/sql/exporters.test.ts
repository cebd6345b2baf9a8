import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteExporters,
  type ExporterRow,
  selectAllExporters,
  selectExporters,
  upsertExporters,
} from '../../../db/sql/exporters.ts';
import { type FeedRow, NO_LOSSES, upsertFeed } from '../../../db/sql/feeds.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { exporter } from '../../support/lab/hear-exporters.ts';
import { T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [] });
  await db.apply({ context: 'other', groups: [] });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
});

beforeEach(() => db.sql('delete from feeds'));

afterAll(() => db.close());

/** Commits a run of a collector, and returns its id. */
async function run(more: Partial<FeedRow> = {}): Promise<string> {
  const feed: FeedRow = {
    feedId: randomUUID(),
    contextId: lab,
    format: 'collect',
    startedAt: at(0),
    commits: 1,
    flows: 10,
    newestUs: T0 * 1e6,
    losses: NO_LOSSES,
    probe: null,
    state: { waitingFlows: 0, readUs: 0, isLast: false },
    ...more,
  };
  await upsertFeed(db.connection, feed);
  return feed.feedId;
}

const ENDED = { waitingFlows: 0, readUs: 0, isLast: true };

const at = (seconds: number): Date => new Date((T0 + seconds) * 1000);

const heard = (address: string, more: Partial<ExporterRow> = {}): ExporterRow =>
  exporter(address, { firstSeen: at(1), lastSeen: at(2), flows: 5, ...more });

const upsert = (feedId: string, ...rows: ExporterRow[]) =>
  upsertExporters(db.connection, feedId, rows);

const select = (contextIds: readonly number[], limit = 1_000) =>
  db.read((session) => selectExporters(session, contextIds, limit));

const ROUTER = heard('192.0.2.1', {
  protocols: ['ipfix', 'sflow'],
  firstSeen: at(1.5),
  lastSeen: at(9.25),
  flows: 9_007_199_254_740_000,
  lostFlows: 3,
  lostPackets: 4,
  lostDatagrams: 5,
  refused: { truncated: 7, late: 1 },
  waitingForTemplate: 2,
  samplingRates: [1, 1_000, 4_294_967_295],
  clockAheadSeconds: -0.5,
  doubts: ['It says 1, "2" and \\3.', "It's late."],
});

describe('the exporters of a run', () => {
  it('are read as they were written', async () => {
    await upsert(await run(), ROUTER, heard('2001:db8::1'));
    const labs = { contextId: lab, context: 'lab' };
    const times = { firstSeen: T0 + 1, lastSeen: T0 + 2 };
    expect(await select([lab])).toEqual([
      { ...ROUTER, ...labs, firstSeen: T0 + 1.5, lastSeen: T0 + 9.25 },
      { ...heard('2001:db8::1'), ...labs, ...times },
    ]);
    expect(await selectAllExporters(db.connection, 1)).toMatchObject([{ address: '192.0.2.1' }]);
  });

  it('are deleted where it has forgotten them', async () => {
    const feedId = await run();
    const other = await run();
    await upsert(feedId, heard('192.0.2.1'), heard('192.0.2.2'), heard('192.0.2.3'));
    await upsert(other, heard('192.0.2.4'));
    await deleteExporters(db.connection, feedId, []);
    await deleteExporters(db.connection, feedId, ['192.0.2.1', '192.0.2.3', '192.0.2.4']);
    const left = await select([lab]);
    expect(left.map(({ address }) => address)).toEqual(['192.0.2.2', '192.0.2.4']);
  });

  it('are replaced by those of its next commit, and stay where that leaves them out', async () => {
    const feedId = await run();
    await upsert(feedId, heard('192.0.2.1'), heard('192.0.2.2', { refused: { truncated: 1 } }));
    const next = { ...ROUTER, address: '192.0.2.2', flows: 6, refused: { late: 2 } };
    await upsert(feedId, next);
    await upsert(feedId);
    expect(await select([lab])).toMatchObject([
      { ...next, firstSeen: T0 + 1.5, lastSeen: T0 + 9.25 },
      { address: '192.0.2.1', flows: 5 },
    ]);
  });

  it('are gone with it', async () => {
    await upsert(await run(), ROUTER);
    await db.sql('delete from feeds');
    expect(await db.sql('select from exporters')).toEqual([]);
  });

  it('need their feed', async () => {
    await expect(upsert(randomUUID(), ROUTER)).rejects.toThrow('foreign key');
  });
});

describe('an exporter of several runs', () => {
  const older: Partial<ExporterRow> = {
    protocols: ['netflow5', 'ipfix'],
    firstSeen: at(-100),
    lastSeen: at(-50),
    flows: 10,
    lostFlows: 1,
    refused: { truncated: 2, badTime: 1 },
    waitingForTemplate: 8,
    samplingRates: [100],
    clockAheadSeconds: 3_600,
    doubts: ['Old.'],
  };
  const newer: Partial<ExporterRow> = {
    protocols: ['netflow9', 'ipfix'],
    firstSeen: at(1),
    lastSeen: at(2),
    flows: 1,
    lostFlows: 10,
    lostPackets: 20,
    refused: { truncated: 40 },
    waitingForTemplate: 3,
    samplingRates: [],
    doubts: [],
  };

  it('has their sums, and the state of the newest', async () => {
    await upsert(await run(), heard('192.0.2.1', newer));
    await upsert(await run({ startedAt: at(-200), probe: 'west' }), heard('192.0.2.1', older));
    expect(await select([lab])).toEqual([
      {
        contextId: lab,
        context: 'lab',
        address: '192.0.2.1',
        protocols: ['ipfix', 'netflow5', 'netflow9'],
        firstSeen: T0 - 100,
        lastSeen: T0 + 2,
        flows: 11,
        lostFlows: 11,
        lostPackets: 20,
        lostDatagrams: 0,
        refused: { truncated: 42, badTime: 1 },
        waitingForTemplate: 3,
        samplingRates: [],
        clockAheadSeconds: null,
        doubts: [],
      },
    ]);
  });

  it('has the state of the newest run that heard it, and nothing waits in one that ended', async () => {
    await upsert(await run({ startedAt: at(-200), state: ENDED }), heard('192.0.2.1', older));
    await upsert(await run(), heard('192.0.2.2'));
    expect(await select([lab])).toMatchObject([
      { address: '192.0.2.1', samplingRates: [100], doubts: ['Old.'], waitingForTemplate: 0 },
      { address: '192.0.2.2' },
    ]);
  });
});

describe('the exporters of contexts', () => {
  beforeEach(async () => {
    await upsert(await run(), ...[1, 3, 3, 2].map((flows, i) => heard(`192.0.2.${i}`, { flows })));
    await upsert(await run({ contextId: other }), heard('192.0.2.9', { flows: 1 }));
  });

  const listed = async (contextIds: readonly number[], limit?: number) =>
    (await select(contextIds, limit)).map(({ context, address }) => `${context} ${address}`);

  it('come by flows, then by address, those of each context apart', async () => {
    expect(await listed([other, lab])).toEqual([
      'lab 192.0.2.1',
      'lab 192.0.2.2',
      'lab 192.0.2.3',
      'lab 192.0.2.0',
      'other 192.0.2.9',
    ]);
    expect(await listed([other])).toEqual(['other 192.0.2.9']);
    expect(await listed([])).toEqual([]);
  });

  it('are those with the most flows if a context has more than the limit', async () => {
    expect(await listed([lab, other], 1)).toEqual(['lab 192.0.2.1', 'other 192.0.2.9']);
    expect(await listed([lab], 3)).toHaveLength(3);
  });
});
