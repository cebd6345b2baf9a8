import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/connection.ts';
import { endConnection } from '../../../db/connection/end-connection.ts';
import { afterRunning, withinRunning } from '../../../db/connection/running-time.ts';
import { isNoConnection, isUnreachable } from '../../../db/database-error.ts';
import { within } from '../../../db/session/deadline.ts';
import { NodePools } from '../../../db/session/node-pools.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { createTestDatabase } from '../../support/database/database.ts';

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Does nothing else meanwhile, as a long computation on the main thread would. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const WITHIN_A_LIMIT = { text: 'select 3 as a', query_timeout: LIMITS.workerAnswerMs };

const LONGER_THAN_ANY_LIMIT = LIMITS.connectTimeoutMs + 500;

describe('a process that stood still for longer than the time limit', () => {
  it('gets the connections and answers that it waits for', async () => {
    const pools = new NodePools({ primaryUrl: database.url, connections: 1 });
    const { reads, control, pages } = pools.at(database.url);
    const held = await reads.connect();
    await control.query('select 1');
    const open = await openConnection(database.url, 'test');
    try {
      const waitsForHeld = reads.connect();
      const all = Promise.all([
        // A new connection takes several round trips.
        pages.query('select 1 as a'),
        control.query('select 2 as a'),
        control.query(WITHIN_A_LIMIT),
        openConnection(database.url, 'test').then(endConnection),
        waitsForHeld.then((client) => client.release()),
      ]);
      pools.silentPrimary.markSuspect();
      stall(LONGER_THAN_ANY_LIMIT);
      setImmediate(() => held.release());
      await all;
      expect(pools.silentPrimary.isSilent).toBe(false);
    } finally {
      await endConnection(open);
      await pools.close();
    }
  });

  it('gets them even if it stands still in the middle of the log-in, again and again', async () => {
    const pools = new NodePools({ primaryUrl: database.url });
    try {
      const answer = pools.at(database.url).reads.query<{ a: number }>('select 1 as a');
      let stalls = 0;
      const again = () => {
        stall(LONGER_THAN_ANY_LIMIT / 5);
        stalls += 1;
        if (stalls < 6) setTimeout(again, 1);
      };
      setImmediate(again);
      expect((await answer).rows).toEqual([{ a: 1 }]);
    } finally {
      await pools.close();
    }
  });

  it('sees an answer that has arrived before its time limit is believed', async () => {
    const open = await openConnection(database.url, 'test');
    try {
      const deadline = { seconds: 0.1, until: performance.now() + 100 };
      const answer = within(open.query('select 1 as a'), deadline);
      stall(300);
      expect((await answer).rows).toEqual([{ a: 1 }]);
    } finally {
      await endConnection(open);
    }
  });
});

describe('a database that does not answer', () => {
  let silent: Server;
  let url: string;

  beforeAll(async () => {
    silent = createServer((socket) => socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    url = `postgres://u:p@127.0.0.1:${(silent.address() as AddressInfo).port}/d`;
  });

  afterAll(() => silent.close());

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  it('is found out although the process stands still now and then', async () => {
    const pools = new NodePools({ primaryUrl: url, connections: 1 });
    const { reads } = pools.at(url);
    const failures = Promise.all([
      failureOf(reads.connect()),
      failureOf(openConnection(url, 'test')),
      failureOf(pools.at(url).control.query('select 1')),
    ]);
    pools.silentPrimary.markSuspect();
    setImmediate(() => stall(400));
    const [pooled, single, asked] = await failures;
    expect([pooled, single, asked].map(isUnreachable)).toEqual([true, true, true]);
    expect(isNoConnection(pooled)).toBe(true);
    await expect.poll(() => pools.silentPrimary.isSilent).toBe(true);
    await pools.close();
  });
});

describe('time that a process runs', () => {
  it('is counted, and a stall only once', async () => {
    const began = performance.now();
    const late = new Error('late');
    const forever = new Promise<never>(() => undefined);
    const failure = withinRunning(forever, 500, late).catch((error: unknown) => error);
    stall(1000);
    expect(await failure).toBe(late);
    expect(performance.now() - began).toBeGreaterThan(1000 + 248);
  });

  it('ends after it would have, without a stall', async () => {
    const began = performance.now();
    await new Promise<void>((resolve) => {
      afterRunning(300, resolve);
    });
    expect(performance.now() - began).toBeGreaterThan(298);
  });
});
