import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/connection.ts';
import {
  addSliceLosses,
  type FeedLossCounts,
  type FeedRow,
  NO_LOSSES,
  selectFeedCommits,
  selectFeedStates,
  selectLastCollecting,
  selectLastFeed,
  tryHoldFeed,
  upsertFeed,
} from '../../../db/sql/feeds.ts';
import { insertSlice } from '../../../db/sql/slices.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { DAY, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;

const LOSSES: FeedLossCounts = {
  refusedLines: 1,
  leftOutFlows: 2,
  lostFlows: 3,
  lostPackets: 4,
  lostDatagrams: 5,
};

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [] });
  await db.apply({ context: 'other', groups: [] });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
});

beforeEach(async () => {
  await db.sql('delete from feeds');
  await db.sql('delete from slices');
});

afterAll(() => db.close());

const feed = (more: Partial<FeedRow> = {}): FeedRow => ({
  feedId: randomUUID(),
  contextId: lab,
  format: 'nfdump',
  startedAt: new Date(T0 * 1000),
  commits: 1,
  flows: 10,
  newestUs: T0 * 1e6 + 1,
  losses: NO_LOSSES,
  probe: null,
  state: { waitingFlows: 0, readUs: 0, isLast: false },
  ...more,
});

/** Sets when a feed last committed flows. */
const committedAt = (feedId: string, at: number) =>
  db.sql('update feeds set committed_at = to_timestamp($2) where feed_id = $1', [feedId, at]);

describe('the commits of a feed', () => {
  it('are counted from 0', async () => {
    const first = feed();
    expect(await selectFeedCommits(db.connection, first.feedId)).toBe(0);
    await upsertFeed(db.connection, first);
    expect(await selectFeedCommits(db.connection, first.feedId)).toBe(1);
    await upsertFeed(db.connection, feed({ feedId: first.feedId, commits: 2 }));
    expect(await selectFeedCommits(db.connection, first.feedId)).toBe(2);
    expect(await selectFeedCommits(db.connection, randomUUID())).toBe(0);
  });
});

describe('a commit of a feed', () => {
  const COUNTS = `select commits::int, flows::int, newest_us::float8, refused_lines::int,
    left_out_flows::int, lost_flows::int, lost_packets::int, lost_datagrams::int,
    extract(epoch from started_at)::float8 as started_at, format from feeds`;

  it('replaces the sums of the one before, and keeps how the feed began', async () => {
    const first = feed();
    await upsertFeed(db.connection, first);
    const next = { commits: 2, flows: 12, newestUs: T0 * 1e6 + 9, losses: LOSSES };
    const began = { format: 'other', startedAt: new Date(0) };
    await upsertFeed(db.connection, feed({ feedId: first.feedId, ...next, ...began }));
    expect(await db.sql(COUNTS)).toEqual([
      {
        commits: 2,
        flows: 12,
        newest_us: T0 * 1e6 + 9,
        refused_lines: 1,
        left_out_flows: 2,
        lost_flows: 3,
        lost_packets: 4,
        lost_datagrams: 5,
        started_at: T0,
        format: 'nfdump',
      },
    ]);
  });

  it('makes the data newer only if it has flows', async () => {
    const first = feed();
    await upsertFeed(db.connection, first);
    await committedAt(first.feedId, T0);
    const isNewer = async () =>
      (await db.sql('select committed_at > to_timestamp($1) as "isNewer" from feeds', [T0]))[0];
    await upsertFeed(db.connection, feed({ feedId: first.feedId, commits: 2, losses: LOSSES }));
    expect(await isNewer()).toEqual({ isNewer: false });
    await upsertFeed(db.connection, feed({ feedId: first.feedId, commits: 3, flows: 11 }));
    expect(await isNewer()).toEqual({ isNewer: true });
  });
});

describe('the states of feeds', () => {
  it('are sums by context, format and probe, and what those that run are doing', async () => {
    const running = { waitingFlows: 7, readUs: T0 * 1e6, isLast: false };
    const ended = { ...running, isLast: true };
    const west = feed({ probe: 'west', flows: 5, losses: LOSSES, state: running });
    const dead = feed({ probe: 'west', flows: 6, startedAt: new Date(0), state: running });
    const gone = feed({ flows: 0, state: ended });
    for (const each of [west, dead, gone]) {
      await upsertFeed(db.connection, each);
      await committedAt(each.feedId, T0);
    }
    await db.sql("update feeds set heard_at = now() - interval '1 day'");
    const state = { context: 'lab', format: 'nfdump' };
    expect(await selectFeedStates(db.connection)).toEqual([
      {
        ...state,
        ...NO_LOSSES,
        probe: '',
        flows: 0,
        lastCommitAt: null,
        waitingFlows: null,
        behindSeconds: null,
      },
      {
        ...state,
        ...LOSSES,
        probe: 'west',
        flows: 11,
        lastCommitAt: T0,
        waitingFlows: 7,
        behindSeconds: expect.any(Number),
      },
    ]);
    // One that runs beside another is heard.
    await upsertFeed(db.connection, { ...dead, commits: 2 });
    expect((await selectFeedStates(db.connection))[1]).toMatchObject({ waitingFlows: 14 });
    await upsertFeed(db.connection, { ...west, commits: 2, state: ended });
    expect((await selectFeedStates(db.connection))[1]).toMatchObject({ waitingFlows: 7 });
  });
});

describe('the last feed of a context', () => {
  it('is the one that committed flows most recently', async () => {
    const older = feed({ flows: 7 });
    const newer = feed({ flows: 8, startedAt: new Date((T0 + 5) * 1000) });
    const idle = feed({ flows: 0 });
    const elsewhere = feed({ contextId: other });
    for (const [i, each] of [older, newer, idle, elsewhere].entries()) {
      await upsertFeed(db.connection, each);
      await committedAt(each.feedId, T0 + 60 * i);
    }
    expect(await selectLastFeed(db.connection, 'lab')).toEqual({
      startedAt: new Date((T0 + 5) * 1000),
      committedAt: new Date((T0 + 60) * 1000),
      flows: 8,
      newestUs: T0 * 1e6 + 1,
    });
  });

  it('is null for a context without flows, and for an unknown one', async () => {
    await upsertFeed(db.connection, feed({ flows: 0 }));
    expect(await selectLastFeed(db.connection, 'lab')).toBeNull();
    expect(await selectLastFeed(db.connection, 'nowhere')).toBeNull();
  });
});

describe('the last collector of a context and probe', () => {
  const collector = (more: Partial<FeedRow> = {}) => feed({ format: 'collect', ...more });
  const last = (probe: string | null = null) => selectLastCollecting(db.connection, 'lab', probe);

  it('is null where there was none, whatever else was imported', async () => {
    await upsertFeed(db.connection, feed());
    await upsertFeed(db.connection, collector({ probe: 'berlin' }));
    await upsertFeed(db.connection, collector({ contextId: other }));
    expect(await last()).toBeNull();
    expect(await last('paris')).toBeNull();
    expect(await last('berlin')).not.toBeNull();
  });

  it('is the one that received last, with what it had not committed', async () => {
    const killed = { waitingFlows: 7, readUs: 0, isLast: false };
    const ended = { ...killed, waitingFlows: 0, isLast: true };
    await upsertFeed(db.connection, collector({ state: killed }));
    expect(await last()).toMatchObject({ hasEnded: false, waitingFlows: 7 });
    await upsertFeed(db.connection, collector({ state: ended }));
    expect(await last()).toMatchObject({ hasEnded: true, waitingFlows: 0 });
    // Its last commit came later, but it had not received for longer.
    await upsertFeed(db.connection, collector({ state: ended, silentSeconds: 60 }));
    await upsertFeed(db.connection, collector({ state: killed, silentSeconds: 30 }));
    expect(await last()).toMatchObject({ hasEnded: true });
  });

  it('has received until it went silent', async () => {
    const row = collector();
    await upsertFeed(db.connection, row);
    await upsertFeed(db.connection, { ...row, commits: 2, silentSeconds: 60 });
    const found = await last();
    const agoSeconds = (found?.now ?? 0) - (found?.heardAt ?? 0);
    expect(Math.round(agoSeconds / 10)).toBe(6);
  });
});

describe('the losses of a slice', () => {
  const add = (at: number, engine = 0, losses = LOSSES) =>
    addSliceLosses(db.connection, { contextId: lab, engine, at, losses });

  const slice = (sliceId: number, startsAt: number, { contextId = lab, engine = 0 } = {}) =>
    insertSlice(db.connection, { sliceId, contextId, engine, startsAt, endsAt: startsAt + DAY });

  const stored = () =>
    db.sql(
      `select slice_id, refused_lines::int, left_out_flows::int, lost_flows::int,
         lost_packets::int, lost_datagrams::int
       from slice_losses order by slice_id`,
    );

  const row = (sliceId: number, times: number) => ({
    slice_id: sliceId,
    refused_lines: times,
    left_out_flows: 2 * times,
    lost_flows: 3 * times,
    lost_packets: 4 * times,
    lost_datagrams: 5 * times,
  });

  it('add up in the slice at that time, or in the one before it', async () => {
    await slice(101, T0);
    await slice(102, T0 + DAY);
    expect(await add(T0 + DAY - 1)).toBe(true);
    expect(await add(T0 + DAY)).toBe(true);
    expect(await add(T0 + 9 * DAY)).toBe(true);
    expect(await stored()).toEqual([row(101, 1), row(102, 2)]);
  });

  it('are not stored without a slice of that context and engine', async () => {
    await slice(103, T0);
    await slice(104, T0 - DAY, { contextId: other });
    await slice(105, T0 - DAY, { engine: 1 });
    expect(await add(T0 - 1)).toBe(false);
    expect(await add(T0, 2)).toBe(false);
    expect(await stored()).toEqual([]);
    expect(await add(T0 - 1, 1)).toBe(true);
    expect(await stored()).toEqual([row(105, 1)]);
  });
});

describe('the lock of a feed', () => {
  it('is held by one connection, until that connection ends', async () => {
    const first = await openConnection(db.url, 'feed');
    const second = await openConnection(db.url, 'feed');
    try {
      expect(await tryHoldFeed(first, 1)).toBe(true);
      expect(await tryHoldFeed(second, 1)).toBe(false);
      expect(await tryHoldFeed(second, 2)).toBe(true);
      await first.end();
      await expect.poll(() => tryHoldFeed(second, 1)).toBe(true);
    } finally {
      await second.end();
    }
  });
});
