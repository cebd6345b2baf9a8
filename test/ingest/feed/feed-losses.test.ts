import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withConnection } from '../../../db/connection/with-connection.ts';
import { selectFeedStates, selectSliceLosses } from '../../../db/sql/feeds.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { startCommitBreaker } from '../../support/database/commit-breaker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { flowLine, MINUTE, startFeed } from '../../support/lab/feed-lab.ts';
import { importText } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

const NONE = { refusedLines: 0, leftOutFlows: 0, lostFlows: 0, lostPackets: 0, lostDatagrams: 0 };

/** A line from a NetFlow v9 packet. */
const line = (sequence: number, at = 0): string =>
  flowLine({
    at,
    more: { type: 'NETFLOW_V9', sequence_num: sequence, sampler_address: '192.0.2.1' },
  });

const stored = () =>
  withConnection({ databaseUrl }, 'test', async (connection) => ({
    feeds: await selectFeedStates(connection),
    slices: await selectSliceLosses(connection, 1),
  }));

/** Runs a feed into `lab` with a missing packet and a bad line. */
async function feedAll(url = databaseUrl): Promise<void> {
  const feed = startFeed({ databaseUrl: url, skipBadLines: true });
  feed.write(line(7), line(7), '{"bytes":1}\n', line(8), line(10), line(11));
  feed.end();
  expect(await feed.done).toMatchObject({
    badLines: 1,
    commits: 1,
    lost: { flows: 0, packets: 1, datagrams: 0 },
    exporters: [
      { exporter: '192.0.2.1', domain: '', protocol: 'NetFlow v9', unit: 'packets', lost: 1 },
    ],
  });
}

describe('what a feed loses', () => {
  it('is stored with its commits, and added up over feeds and for the slice', async () => {
    await feedAll();
    const once = { ...NONE, refusedLines: 1, lostPackets: 1 };
    expect(await stored()).toEqual({
      feeds: [expect.objectContaining({ context: 'lab', format: 'goflow2', ...once })],
      slices: new Map([[1, once]]),
    });
    await feedAll();
    const twice = { ...NONE, refusedLines: 2, lostPackets: 2 };
    expect(await stored()).toEqual({
      feeds: [expect.objectContaining({ context: 'lab', format: 'goflow2', ...twice })],
      slices: new Map([[1, twice]]),
    });
  });

  it.each(['before', 'after'] as const)(
    'is stored once if the connection breaks %s a commit',
    async (when) => {
      await feedAll();
      const breaker = await startCommitBreaker(databaseUrl);
      try {
        breaker.breakNext(when);
        await feedAll(breaker.url);
        expect(breaker.broken()).toBe(1);
      } finally {
        await breaker.close();
      }
      const twice = { ...NONE, refusedLines: 2, lostPackets: 2 };
      expect((await stored()).slices).toEqual(new Map([[1, twice]]));
      expect((await stored()).feeds).toMatchObject([twice]);
    },
  );

  it('is reported while the feed runs, once a missing packet is too late', async () => {
    let passedMs = 0;
    const feed = startFeed({
      databaseUrl,
      nowMs: () => (MINUTE + 30) * 1000,
      monotonicMs: () => passedMs,
      limits: { lossesEveryMs: 0 },
    });
    feed.write(line(1), line(2), line(4));
    await feed.until(({ flows }) => flows === 3);
    expect(feed.status().lost.packets).toBe(0);
    // The feed checks its clock only now and then, so the number of lines it needs is unknown.
    while (feed.status().lost.packets === 0) {
      const { flows } = feed.status();
      passedMs += LIMITS.lostAfterMs;
      feed.write(line(flows + 2));
      await feed.until((status) => status.flows > flows);
    }
    await feed.until(({ commits }) => commits > 0);
    feed.end();
    await feed.done;
    expect((await stored()).feeds).toMatchObject([{ lostPackets: 1 }]);
  });

  it('is stored after the wall clock stepped back', async () => {
    await importText(textSource(flowLine()), { databaseUrl, format: 'goflow2' });
    let wallMs = (MINUTE + 86_400) * 1000;
    let passedMs = 0;
    const feed = startFeed({
      databaseUrl,
      skipBadLines: true,
      nowMs: () => wallMs,
      monotonicMs: () => passedMs,
    });
    const untilStored = async (refusedLines: number): Promise<void> => {
      while ((await stored()).feeds[0]?.refusedLines !== refusedLines) {
        await feed.until(({ badLines }) => badLines === refusedLines);
      }
    };
    feed.write('{"bytes":1}\n');
    await untilStored(1);
    wallMs -= 3_600_000;
    passedMs += LIMITS.feedLossesEveryMs;
    feed.write('{"bytes":2}\n');
    await untilStored(2);
    feed.stop();
    await feed.done;
  });

  it('is stored even without flows, and does not change the version of the data', async () => {
    await importText(textSource(flowLine()), { databaseUrl, format: 'goflow2' });
    const times = 'select version from context_versions';
    const before = await rowsOf(databaseUrl, times);
    const feed = startFeed({ databaseUrl, skipBadLines: true });
    feed.write('{"bytes":1}\n', '{"bytes":2}\n');
    feed.end();
    await expect(feed.done).rejects.toThrow('the feed: no line could be read as goflow2');
    expect(feed.status()).toMatchObject({ badLines: 2, commits: 0 });
    const refused = { ...NONE, refusedLines: 2 };
    expect(await stored()).toMatchObject({ feeds: [refused], slices: new Map([[1, refused]]) });
    expect(await rowsOf(databaseUrl, times)).toEqual(before);
  });

  it('makes no context if there is no flow', async () => {
    const feed = startFeed({ databaseUrl, skipBadLines: true });
    feed.write('{"bytes":1}\n');
    await feed.until(({ badLines }) => badLines === 1);
    feed.stop();
    expect(await feed.done).toMatchObject({ badLines: 1, commits: 0 });
    expect(await rowsOf(databaseUrl, 'select from contexts')).toEqual([]);
  });

  it('includes flows of archived slices', async () => {
    await importText(textSource(flowLine()), { databaseUrl, format: 'goflow2' });
    await rowsOf(databaseUrl, 'update slices set archived = true');
    const feed = startFeed({ databaseUrl, skipBadLines: true });
    feed.write(line(1), line(1, 86_400), line(2, 86_400));
    feed.end();
    expect(await feed.done).toMatchObject({ leftOutFlows: 1, commits: 1 });
    const leftOut = { ...NONE, leftOutFlows: 1 };
    expect(await stored()).toMatchObject({ feeds: [leftOut], slices: new Map([[2, leftOut]]) });
  });

  it('is removed with its slice, but stays in the total of the feed', async () => {
    await feedAll();
    await rowsOf(databaseUrl, 'delete from slices');
    expect((await stored()).slices).toEqual(new Map());
    expect((await stored()).feeds).toMatchObject([{ lostPackets: 1 }]);
  });
});

describe('what a file lacks', () => {
  it('is in the report of its import', async () => {
    const lines = [line(1), line(2), line(5)].join('');
    const report = await importText(textSource(lines), { databaseUrl, format: 'goflow2' });
    expect(report).toMatchObject({
      records: 3,
      lost: { flows: 0, packets: 2, datagrams: 0 },
      exporters: [{ exporter: '192.0.2.1', lost: 2 }],
    });
  });
});
