import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BreakableServer } from '../support/database/breakable-server.ts';
import type { TestService } from '../support/lab/service.ts';
import {
  askAll,
  expectRecovery,
  keepAsking,
  QUESTIONS,
  type Refusal,
  startFaultLab,
  statementsOf,
  UNREACHABLE,
} from './fault-lab.ts';

let lab: TestService;
let server: BreakableServer;

beforeAll(async () => {
  ({ lab, server } = await startFaultLab());
}, 120_000);

afterAll(async () => {
  await lab.close();
  await server.remove();
});

/** After each fault, the service recovers by itself, and its numbers are right. */
afterEach(() => expectRecovery(lab), 20_000);

const ALL_REFUSED = [UNREACHABLE, UNREACHABLE, UNREACHABLE, UNREACHABLE];

describe('while PostgreSQL is away', () => {
  afterEach(() => server.start());

  it.each([
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
    ['its postmaster killed', () => server.killPostmaster()],
  ])('(%s) every request gets an error, and the process stays alive', async (_, goAway) => {
    await askAll(lab);
    await goAway();
    // Backends end only when they notice that their postmaster is gone.
    while ((await askAll(lab)).length < 4) await delay(20);
    expect(await askAll(lab)).toEqual(ALL_REFUSED);
    expect((await lab.call('/healthz')).status).toBe(200);
    expect((await lab.call('/readyz')).status).toBe(503);
    expect((await lab.call('/metrics')).status).toBe(200);
  });
});

describe('running requests', () => {
  it('end with the right answer or an error while PostgreSQL restarts', async () => {
    const asking = keepAsking(lab);
    for (const goAway of [server.stop, server.kill, server.killPostmaster]) {
      await delay(50);
      await goAway();
      await server.start();
    }
    expect(await asking.stop()).toEqual([UNREACHABLE]);
  });

  it('end with the right answer or an error while a backend is killed', async () => {
    const asking = keepAsking(lab);
    let refusals: Refusal[] = [];
    try {
      for (const _ of [1, 2, 3]) {
        await expectRecovery(lab);
        const [backend] = await lab.sql<{ pid: number }>(
          `select pid from pg_stat_activity
           where application_name ~ '^countergraph( [0-9a-f-]{36})?$' and datname = current_database() limit 1`,
        );
        const session = await openSession();
        if (backend) process.kill(backend.pid, 'SIGKILL');
        await session.ended;
      }
    } finally {
      // Even after a failure, the requests must not continue during other tests.
      refusals = await asking.stop();
    }
    expect(refusals).toEqual([UNREACHABLE]);
  });

  /** PostgreSQL ends all sessions when one is killed, because shared memory may be damaged. */
  async function openSession(): Promise<{ readonly ended: Promise<void> }> {
    const session = new pg.Client({ connectionString: server.url });
    session.on('error', () => {});
    await session.connect();
    const ended = new Promise<void>((resolve) => session.once('end', () => resolve()));
    return { ended };
  }
});

describe('requests that wait for a lock', () => {
  let locker: pg.Client;

  // A failed test must not leave the others waiting.
  afterEach(() => locker.end());

  async function lock(tables: string): Promise<void> {
    lab.emptyCaches();
    locker = new pg.Client({ connectionString: server.url });
    locker.on('error', () => {});
    await locker.connect();
    await locker.query(`begin; lock table ${tables} in access exclusive mode`);
  }

  const waiting = async (count: number) => {
    while ((await statementsOf(lab)).filter(({ waits }) => waits).length < count) await delay(10);
  };

  it.each(['users', 'counter_groups', 'open_segment_pages', 'key_texts', 'context_versions'])(
    'on %s end at their timeout, and leave no statement behind',
    async (tables) => {
      await lock(tables);
      const answer = await lab.refusal('topper', { ...QUESTIONS.topper, timeout: 1 });
      expect(answer).toEqual([500, 'Query timed out after 1 seconds']);
      expect(await statementsOf(lab)).toEqual([]);
      await locker.end();
    },
  );

  it('get an error when their backends are killed', async () => {
    await lock('open_segment_pages, users');
    const asked = askAll(lab);
    await waiting(4);
    const [first] = await statementsOf(lab);
    if (first) process.kill(first.pid, 'SIGKILL');
    const refusals = await asked;
    // PostgreSQL is back within a moment: a request that begins again then is answered.
    expect(refusals.length).toBeGreaterThanOrEqual(1);
    expect(refusals).toEqual(ALL_REFUSED.slice(0, refusals.length));
    await locker.end();
  });

  it('on blocks, which COPY reads, get an error when the backend is killed', async () => {
    await lock('open_segment_pages');
    const asked = lab.refusal('topper', QUESTIONS.topper);
    await waiting(1);
    const [first] = await statementsOf(lab);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    expect(await asked).toEqual(UNREACHABLE);
    await locker.end();
  });

  it('end at their timeout even if PostgreSQL does not accept the cancel', async () => {
    await lock('open_segment_pages');
    const asked = lab.refusal('topper', { ...QUESTIONS.topper, timeout: 1 });
    await waiting(1);
    const frozen = [await server.pid(), ...(await statementsOf(lab)).map(({ pid }) => pid)];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      expect(await asked).toEqual([500, 'Query timed out after 1 seconds']);
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await locker.end();
  });
});

describe('a PostgreSQL that refuses', () => {
  const restart = async (settings: Readonly<Record<string, string>>) => {
    await server.stop();
    await server.start({ settings });
  };

  afterEach(() => restart({}), 20_000);

  it('connections, because others hold all, is unreachable until they are released', async () => {
    await restart({ max_connections: '8', superuser_reserved_connections: '0' });
    const others = await connectAsMany();
    expect(await askAll(lab)).toEqual(ALL_REFUSED);
    expect((await lab.call('/readyz')).status).toBe(503);
    for (const other of others) await other.end();
    await expectRecovery(lab);
  });

  async function connectAsMany(): Promise<pg.Client[]> {
    const taken: pg.Client[] = [];
    for (;;) {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => {});
      try {
        await client.connect();
        taken.push(client);
      } catch {
        return taken;
      }
    }
  }

  it('connections beyond a few answers each request with those that there are', async () => {
    await restart({ max_connections: '4', superuser_reserved_connections: '0' });
    await expectRecovery(lab);
    const refused = (await Promise.all(Array.from({ length: 10 }, () => askAll(lab)))).flat();
    expect(refused).toEqual([]);
  });

  it('to write still answers, because requests only read', async () => {
    await restart({ default_transaction_read_only: 'on' });
    expect(await askAll(lab)).toEqual([]);
    await expectRecovery(lab);
    await expect(lab.apply({ context: 'other' })).rejects.toThrow(/read-only transaction/);
  });
});
