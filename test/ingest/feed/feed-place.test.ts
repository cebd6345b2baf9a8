import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FEED_LOCK } from '../../../db/advisory-locks.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { flowLine, startFeed } from '../../support/lab/feed-lab.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/programs/pgbouncer.ts';
import { sums } from '../import-support.ts';

if (!hasPgBouncer) console.warn('skipped: pgbouncer is not installed: apt-get install pgbouncer');

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

/** Starts a feed that gives up at once if it is not alone. */
const start = (options: Partial<Parameters<typeof startFeed>[0]> = {}) =>
  startFeed({ databaseUrl, limits: { besideWaitMs: 0 }, ...options });

/** Starts a feed, and waits until it has its place. */
async function running(options: Partial<Parameters<typeof startFeed>[0]> = {}) {
  const feed = start(options);
  feed.write(flowLine());
  await feed.until(({ flows }) => flows === 1);
  return feed;
}

const total = async (): Promise<string | undefined> =>
  (await sums(databaseUrl))['Aggregates TOTALBW 1'];

describe('a second feed', () => {
  it.each([
    ['without a probe', null, 'another feed fills context lab: two feeds of the same flows'],
    ['of the same probe', 'p1', 'another feed fills context lab and probe p1: two feeds'],
  ])('%s is refused, and reads nothing', async (_, probe, reason) => {
    const first = await running({ probe });
    const second = start({ probe });
    second.write(flowLine());
    second.end();
    await expect(second.done).rejects.toThrow(reason);
    await expect(second.done).rejects.toThrow('or give --beside if their flows are different');
    first.end();
    expect(await first.done).toMatchObject({ committedFlows: 1 });
    expect(await total()).toBe('100');
  });

  it.each([
    ['of another probe', { probe: 'p2' }],
    ['of another context', { context: 'other' }],
    ['that may run beside it', { beside: true }],
  ])('%s is none of its business', async (_, options) => {
    const first = await running();
    const second = await running(options);
    second.end();
    expect(await second.done).toMatchObject({ committedFlows: 1 });
    first.end();
    await first.done;
  });

  it('is refused while one runs that may have others beside it', async () => {
    const first = await running({ beside: true });
    await expect(start().done).rejects.toThrow('another feed fills context lab');
    const beside = await running({ beside: true });
    for (const feed of [first, beside]) {
      feed.end();
      await feed.done;
    }
    const alone = await running();
    alone.end();
    expect(await alone.done).toMatchObject({ committedFlows: 1 });
  });

  it('waits for the first to end, and says so', async () => {
    const first = await running();
    const said: string[] = [];
    const second = start({
      limits: { besideWaitMs: 60_000 },
      onBeside: (what) => {
        said.push(what);
        first.end();
      },
    });
    second.write(flowLine());
    await second.until(({ flows }) => flows === 1);
    second.end();
    expect(await second.done).toMatchObject({ committedFlows: 1 });
    expect(said).toEqual(['another feed fills context lab: waiting up to 60 s for it to end']);
    expect(await total()).toBe('200');
  });

  it('takes the place of one that has lost it with its connection', async () => {
    const first = await running();
    await rowsOf(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
         and classid = $1 and database = (select oid from pg_database
           where datname = current_database())`,
      [FEED_LOCK],
    );
    const second = await running();
    first.end();
    await expect(first.done).rejects.toThrow(
      '1 flows that were read are not committed: another feed fills context lab',
    );
    second.end();
    await second.done;
    expect(await total()).toBe('100');
  });

  it('stops waiting when it is told to end', async () => {
    const first = await running();
    const stopping = new AbortController();
    const second = start({
      limits: { besideWaitMs: 60_000 },
      stop: stopping.signal,
      onBeside: () => stopping.abort(),
    });
    await expect(second.done).rejects.toThrow('aborted');
    first.end();
    await first.done;
  });

  it.skipIf(!hasPgBouncer).each(['session', 'transaction'] as const)(
    'is refused behind a pooler in %s mode',
    async (mode) => {
      const pooler = await startPgBouncer(databaseUrl, { mode });
      try {
        const first = await running({ databaseUrl: pooler.url });
        const second = start({ databaseUrl: pooler.url });
        await expect(second.done).rejects.toThrow('another feed fills context lab');
        first.write(flowLine({ at: 200 }));
        await first.until(({ commits }) => commits === 1);
        first.end();
        expect(await first.done).toMatchObject({ committedFlows: 2 });
        // The pooler ends the transaction that held the place a moment later.
        const third = await running({ databaseUrl: pooler.url, limits: { besideWaitMs: 10_000 } });
        third.end();
        await third.done;
      } finally {
        await pooler.stop();
      }
    },
  );
});
