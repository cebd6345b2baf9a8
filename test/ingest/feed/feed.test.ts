import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTEXT_IMPORT_LOCK } from '../../../db/advisory-locks.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { verifyContext } from '../../../store/check/verify-context.ts';
import {
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { flowLine, MINUTE, startFeed } from '../../support/lab/feed-lab.ts';
import { storedReadings } from '../../support/reference/stored-readings.ts';
import { importText, sums } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

/** The bytes of all traffic by bucket, in seconds after MINUTE. */
async function totals(): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const { key, bucket, slot, value } of await storedReadings(databaseUrl)) {
    if (key !== 'TOTALBW' || slot !== 1) continue;
    const at = bucket - MINUTE;
    total[at] = (total[at] ?? 0) + Number(value);
  }
  return total;
}

describe('a feed', () => {
  it('commits flows of a clock that is days behind where they belong, and says so', async () => {
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine({ at: 0 }), flowLine({ at: -89 }));
    await feed.until(({ flows }) => flows === 2);
    expect(feed.status().late).toBeNull();
    feed.write(flowLine({ at: -172_800 }), flowLine({ at: -91, bytes: 7 }), flowLine({ at: 1 }));
    await feed.until(({ flows }) => flows === 5);
    await feed.until(({ late }) => late?.flows === 2);
    expect(feed.status()).toMatchObject({ late: { bySeconds: 172_800 }, newestAt: MINUTE + 1 });
    feed.end();
    expect(await feed.done).toMatchObject({ committedFlows: 5 });
    expect(await totals()).toEqual({ [-172_800]: 100, [-120]: 107, 0: 200 });
  });

  it('commits a bucket once it is over and the wait for late flows has passed', async () => {
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine({ at: 0 }), flowLine({ at: 59 }), flowLine({ at: 60, bytes: 7 }));
    await feed.until(({ flows }) => flows === 3);
    // A second less than 30 seconds after the end of the bucket.
    feed.write(flowLine({ at: 89 }));
    await feed.until(({ flows }) => flows === 4);
    expect(feed.status()).toMatchObject({ commits: 0, uncommitted: 4, committedTo: null });
    feed.write(flowLine({ at: 90 }));
    await feed.until(({ commits }) => commits === 1);
    expect(await totals()).toEqual({ 0: 200 });
    expect(feed.status()).toMatchObject({
      committedFlows: 2,
      uncommitted: 3,
      trouble: null,
      committedTo: MINUTE + 59,
      newestAt: MINUTE + 90,
    });
    feed.end();
    expect(await feed.done).toEqual({
      lines: 5,
      flows: 5,
      skipped: { events: 0, tunnelLines: 0, notIp: 0 },
      badLines: 0,
      commits: 2,
      committedFlows: 5,
      leftOutFlows: 0,
      lost: { flows: 0, packets: 0, datagrams: 0 },
      exporters: [],
    });
    expect(await totals()).toEqual({ 0: 200, 60: 207 });
  });

  it('counts late flows in a later commit', async () => {
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine({ at: 0 }), flowLine({ at: 600 }));
    await feed.until(({ commits }) => commits === 1);
    feed.write(flowLine({ at: 1, bytes: 5 }));
    await feed.until(({ commits }) => commits === 2);
    expect(await totals()).toEqual({ 0: 105 });
    feed.stop();
    await feed.done;
    expect(await totals()).toEqual({ 0: 105, 600: 100 });
  });

  it('commits flows that have waited for long, even if its stream stands still', async () => {
    const feed = startFeed({ databaseUrl, limits: { holdMs: 20 } });
    feed.write(flowLine());
    await feed.until(({ commits }) => commits === 1);
    expect(await totals()).toEqual({ 0: 100 });
    feed.end();
    expect(await feed.done).toMatchObject({ commits: 1, committedFlows: 1 });
  });

  describe('that has flows of an archived slice', () => {
    const DAY = 86_400;

    /** Three flows, of which one is in the archived day, and another partly. */
    const mixed = [
      flowLine({ at: 0 }),
      flowLine({ at: 60, seconds: DAY, bytes: 7 }),
      flowLine({ at: 2 * DAY, bytes: 31 }),
    ];

    beforeEach(async () => {
      const feed = startFeed({ databaseUrl });
      feed.write(flowLine({ bytes: 5 }));
      feed.end();
      await feed.done;
      await rowsOf(databaseUrl, `update slices set archived = true`);
    });

    it('leaves them out, names the slice, and continues', async () => {
      const feed = startFeed({ databaseUrl, skipBadLines: true });
      feed.write(...mixed);
      await feed.until(({ leftOutFlows }) => leftOutFlows === 2);
      feed.write(flowLine({ at: 2 * DAY + 60, bytes: 2 }));
      feed.end();
      expect(await feed.done).toMatchObject({ flows: 4, committedFlows: 2, leftOutFlows: 2 });
      expect(feed.badLines).toEqual([
        '2 flows of slice-20231114-0000, which is archived: restore it to count them, with ' +
          '`countergraph slices restore --context lab --slice slice-20231114-0000`',
      ]);
      expect(await totals()).toEqual({ 0: 5, [2 * DAY]: 31, [2 * DAY + 60]: 2 });
      const flows = await rowsOf(databaseUrl, 'select flows::int from feeds order by started_at');
      expect(flows).toEqual([{ flows: 1 }, { flows: 2 }]);
    });

    it('ends unless bad lines are skipped, and commits all other flows', async () => {
      const feed = startFeed({ databaseUrl });
      feed.write(...mixed);
      await expect(feed.done).rejects.toThrow(
        /^the feed: 2 flows are of slice-20231114-0000, which is archived: .* everything else .* --skip-bad/,
      );
      expect(await totals()).toEqual({ 0: 5, [2 * DAY]: 31 });
    });
  });

  it('does not advance its time by a flow from the future', async () => {
    const nowMs = () => (MINUTE + 90) * 1000;
    const feed = startFeed({ databaseUrl, nowMs });
    feed.write(flowLine({ at: 80_000 }), flowLine({ at: 10 }), flowLine({ at: 65 }));
    await feed.until(({ commits }) => commits === 1);
    expect(await totals()).toEqual({ 0: 100 });
    feed.end();
    await feed.done;
    expect(Object.values(await totals())).toEqual([100, 100, 100]);
  });

  it('commits flows after the wall clock stepped back', async () => {
    let wallMs = (MINUTE + 7200) * 1000;
    let passedMs = 0;
    const feed = startFeed({
      databaseUrl,
      nowMs: () => wallMs,
      monotonicMs: () => passedMs,
      limits: { commitEveryMs: LIMITS.feedCommitEveryMs },
    });
    feed.write(flowLine({ at: 0 }), flowLine({ at: 7199 }));
    await feed.until(({ commits }) => commits === 1);
    wallMs -= 3_600_000;
    feed.write(flowLine({ at: 3600 }));
    await feed.until(({ flows }) => flows === 3);
    passedMs += LIMITS.feedHoldMs;
    await feed.until(({ commits }) => commits === 2);
    expect(await totals()).toEqual({ 0: 100, 3600: 100, 7140: 100 });
    feed.end();
    await feed.done;
  });

  it('spreads flows over buckets as the import of a file does', async () => {
    const lines = Array.from({ length: 150 }, (_, i) =>
      flowLine({
        at: (i * 37) % 3000,
        seconds: (i * 101) % 700,
        bytes: i * 1009,
        port: i % 7,
        from: `10.0.0.${i % 20}`,
      }),
    );
    const feed = startFeed({ databaseUrl });
    for (const line of lines) feed.write(line);
    feed.end();
    expect(await feed.done).toMatchObject({ flows: 150, committedFlows: 150 });
    const source = textSource(lines.join(''));
    await importText(source, { databaseUrl, context: 'file', format: 'goflow2' });
    const expected = await sums(databaseUrl, 'file');
    expect(Object.keys(expected).length).toBeGreaterThan(100);
    expect(await sums(databaseUrl)).toEqual(expected);
    const report = await verifyContext({ databaseUrl, context: 'lab' });
    expect(report).toMatchObject({ differences: [], differenceCount: 0 });
  });

  it('holds no more flows in memory than its limit, and reads on when there is room', async () => {
    const feed = startFeed({ databaseUrl, limits: { pendingFlows: 10 } });
    const seen: number[] = [];
    for (let i = 0; i < 40; i += 1) feed.write(flowLine());
    await feed.until(({ flows, uncommitted }) => {
      seen.push(uncommitted);
      return flows === 40;
    });
    feed.end();
    expect(await feed.done).toMatchObject({ flows: 40, committedFlows: 40 });
    expect(Math.max(...seen)).toBeLessThanOrEqual(10);
    expect(await totals()).toEqual({ 0: 4000 });
  });

  it('fills new slices as midnight passes', async () => {
    const midnight = 86_400 - (MINUTE % 86_400);
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine({ at: midnight - 30, seconds: 60 }), flowLine({ at: midnight + 300 }));
    await feed.until(({ commits }) => commits === 1);
    feed.end();
    await feed.done;
    const slices = 'select count(*)::int as count from slices';
    expect(await rowsOf(databaseUrl, slices)).toEqual([{ count: 2 }]);
    expect(await totals()).toEqual({
      [midnight - 60]: 50,
      [midnight]: 50,
      [midnight + 300]: 100,
    });
  });

  it('of another format is read too', async () => {
    const feed = startFeed({ databaseUrl, format: 'nfdump', timeZone: 'Europe/Berlin' });
    feed.write('ts,td,sa,da,sp,dp,pr,ipkt,ibyt\n');
    feed.write('2023-11-14 23:14:00,0.000,10.0.0.1,198.51.100.1,5000,443,TCP,3,900\n');
    feed.end();
    expect(await feed.done).toMatchObject({ lines: 2, flows: 1, commits: 1 });
    expect(await totals()).toEqual({ 0: 900 });
  });

  it('without a flow makes nothing', async () => {
    const feed = startFeed({ databaseUrl });
    feed.end();
    expect(await feed.done).toMatchObject({ lines: 0, commits: 0 });
    expect(await rowsOf(databaseUrl, 'select from contexts')).toEqual([]);
  });
});

describe('a feed that is told to stop', () => {
  it('commits all complete lines, but not a partial one', async () => {
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine(), flowLine(), flowLine().slice(0, 40));
    await feed.until(({ flows }) => flows === 2);
    feed.stop();
    expect(await feed.done).toMatchObject({ flows: 2, committedFlows: 2, badLines: 0 });
    expect(await totals()).toEqual({ 0: 200 });
  });

  it('commits all lines that it has read, even those that waited for room', async () => {
    const holder = await holdContext();
    const feed = startFeed({ databaseUrl, limits: { pendingFlows: 2 } });
    feed.write(Array.from({ length: 20 }, () => flowLine()).join(''));
    await feed.until(({ trouble, uncommitted }) => trouble !== null && uncommitted === 2);
    feed.stop();
    await holder.release();
    expect(await feed.done).toMatchObject({ flows: 20, committedFlows: 20 });
    expect(await totals()).toEqual({ 0: 2000 });
  });
});

/** Makes the context `lab`, and holds its import lock as another import would. */
async function holdContext(): Promise<{ release(): Promise<void> }> {
  const line = textSource(flowLine({ bytes: 0 }));
  await importText(line, { databaseUrl, format: 'goflow2' });
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let locked: () => void = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const holding = withClient(databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(
      `select pg_advisory_xact_lock($1, context_id) from contexts where name = 'lab'`,
      [CONTEXT_IMPORT_LOCK],
    );
    locked();
    await released;
    await client.query('commit');
  });
  await isLocked;
  return {
    async release() {
      release();
      await holding;
    },
  };
}

describe('another import into the context', () => {
  it('delays a commit, but does not have to wait for the feed between commits', async () => {
    const holder = await holdContext();
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine(), flowLine({ at: 300 }));
    await feed.until(({ trouble }) => trouble !== null);
    expect(feed.status().trouble).toBe('waiting for another import into the context to end');
    await holder.release();
    await feed.until(({ commits, trouble }) => commits === 1 && trouble === null);
    await importText(textSource(flowLine({ at: 600 })), { databaseUrl, format: 'goflow2' });
    feed.end();
    await feed.done;
    expect(await totals()).toEqual({ 0: 100, 300: 100, 600: 100 });
  });
});

describe('a bad line of a feed', () => {
  it('ends it, after all flows before are committed', async () => {
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine(), flowLine(), '{"bytes":1}\n', flowLine());
    await expect(feed.done).rejects.toThrow(
      'the feed, line 3: src_addr is missing: everything before',
    );
    expect(await totals()).toEqual({ 0: 200 });
  });

  it('is named and counted if bad lines are skipped', async () => {
    const feed = startFeed({ databaseUrl, skipBadLines: true });
    feed.write(flowLine(), '{"bytes":1}\n', flowLine({ at: 86_400 * 20_000 }), flowLine());
    feed.end();
    expect(await feed.done).toMatchObject({ lines: 4, flows: 2, badLines: 2, committedFlows: 2 });
    expect(feed.badLines).toEqual([
      '2: src_addr is missing',
      expect.stringMatching(/^3: the start is more than a day in the future/),
    ]);
  });
});

describe('a feed that fails', () => {
  it('says how many flows it has not committed', async () => {
    const guid = '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}';
    await importText(textSource(flowLine()), { databaseUrl, format: 'goflow2' });
    await rowsOf(databaseUrl, `update counter_groups set key_kind = 'text' where guid = $1`, [
      guid,
    ]);
    const feed = startFeed({ databaseUrl });
    feed.write(flowLine(), flowLine());
    feed.end();
    await expect(feed.done).rejects.toThrow(
      /^2 flows that were read are not committed: group .* is not the flow group Protocols/,
    );
  });
});
