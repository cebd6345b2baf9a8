import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Pooler } from '../../../db/connection/pooler.ts';
import type { Deadline } from '../../../db/session/deadline.ts';
import { NodePools } from '../../../db/session/node-pools.ts';
import { ReadSession } from '../../../db/session/read-session.ts';
import {
  type RejectionReason,
  RetryRequest,
  StandbyRejected,
} from '../../../db/session/snapshot-check.ts';
import { StandbySession } from '../../../db/session/standby-session.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../../support/database/database.ts';

let database: TestDatabase;
let pools: NodePools;
let sent: string[];
let failures: unknown[];

beforeAll(async () => {
  database = await createTestDatabase();
  pools = new NodePools({ primaryUrl: database.url, onStatement: (text) => sent.push(text) });
});

beforeEach(() => {
  sent = [];
  failures = [];
});

afterAll(async () => {
  await pools?.close();
  await database?.drop();
});

type Opened = {
  readonly url?: string;
  readonly fault?: RejectionReason | null;
  readonly deadline?: Deadline | null;
  readonly signal?: AbortSignal;
};

const open = ({ url = database.url, fault = null, deadline = null, signal }: Opened = {}) =>
  new StandbySession({
    pool: pools.at(url),
    onStatement: pools.onStatement,
    requestId: null,
    deadline,
    signal: signal ?? new AbortController().signal,
    check: { text: 'select 1 as one', fault: () => fault, history: () => 'one' },
    onFailed: (error) => failures.push(error),
  });

const within = (ms: number): Deadline => ({
  seconds: ms / 1000,
  until: performance.now() + ms,
});

const SLEEP = { text: 'select pg_sleep(60)' };

/** Waits until no session runs a sleeping statement. */
const untilNobodySleeps = () =>
  vi.waitFor(
    async () => {
      const rows = await withClient(database.url, async (client) => {
        const text = `select query from pg_stat_activity
          where state = 'active' and query like 'select pg_sleep%'`;
        return (await client.query(text)).rows;
      });
      expect(rows).toEqual([]);
    },
    { timeout: 10_000 },
  );

describe('a session on a standby', () => {
  it('reads one snapshot, which its first statement checks', async () => {
    const session = open();
    expect(session.hasBegun).toBe(false);
    expect(await session.read({ text: 'select 2 as two' })).toEqual([{ two: 2 }]);
    expect(await session.read({ text: 'select 3 as three' })).toEqual([{ three: 3 }]);
    expect(session.hasBegun).toBe(true);
    await session.end();
    expect(sent.map((text) => text.split(' ')[0])).toEqual(['begin', 'select', 'select', 'commit']);
    expect(sent[0]).toMatch(/; select 1 as one$/);
  });

  it('ends if the snapshot is not the one required, and says why', async () => {
    const session = open({ fault: 'behind' });
    const reads = [session.begin(), session.read({ text: 'select 2' })];
    for (const read of reads) await expect(read).rejects.toThrow('passed over, as it is behind');
    expect(session.moved).toBe(failures[0]);
    expect(failures).toHaveLength(1);
    await session.end();
    expect(sent.map((text) => text.split(' ')[0])).toEqual(['begin', 'rollback']);
  });

  it('ends when a statement fails', async () => {
    const session = open();
    await expect(session.read({ text: 'select no_such' })).rejects.toMatchObject({
      reason: 'failed',
    });
    await expect(session.read({ text: 'select 1' })).rejects.toBeInstanceOf(StandbyRejected);
    await session.end();
  });

  it('ends if nothing listens at the address', async () => {
    const session = open({ url: 'postgres://127.0.0.1:9/none' });
    await expect(session.begin()).rejects.toMatchObject({ reason: 'gone' });
    await session.end();
  });

  it('leaves half of the remaining time for a retry, and cancels its statement', async () => {
    const session = open({ deadline: within(600) });
    await expect(session.read(SLEEP)).rejects.toMatchObject({ reason: 'slow' });
    await session.end();
    await untilNobodySleeps();
  });

  it('reports a timeout if the request itself is out of time', async () => {
    const session = open({ deadline: within(0) });
    const error = await session.read(SLEEP).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ServiceError);
    expect(session.moved).toBe(null);
    await session.end();
  });

  it('cancels the statement of a caller who has gone', async () => {
    const gone = new AbortController();
    const session = open({ signal: gone.signal });
    await session.begin();
    const read = session.read(SLEEP);
    gone.abort(new Error('the caller has gone'));
    await expect(read).rejects.toThrow('the caller has gone');
    expect(session.moved).toBe(null);
    await session.end();
    await untilNobodySleeps();
  });
});

describe('a session that is left for a standby', () => {
  const check = (rows: readonly unknown[]) => ({
    text: 'select count(*)::int as n from numbers',
    isSame: ([row]: readonly unknown[]) => JSON.stringify(row) === JSON.stringify(rows[0]),
    seen: new Map(),
  });

  /** Behind a pooler, the identity is read in a transaction. */
  async function openHome(isPresent: boolean) {
    await withClient(database.url, (client) =>
      client.query('create table if not exists numbers (n int); truncate numbers'),
    );
    const pool = pools.at(database.url);
    const pooler: Pooler = Object.create(pool.pooler, {
      isPresent: { value: isPresent },
      losesStatements: { value: false },
    });
    const home = new ReadSession({
      pool: { ...pool, pooler },
      onStatement: pools.onStatement,
      deadline: null,
      signal: new AbortController().signal,
      mayReadAlone: true,
    });
    await home.readAlone({ text: 'select count(*)::int as n from numbers' }, check);
    return home;
  }

  const insert = () =>
    withClient(database.url, (client) => client.query('insert into numbers values (1)'));

  it.each([false, true])('releases its connection (behind a pooler: %s)', async (isPresent) => {
    const home = await openHome(isPresent);
    expect(home.detach()).toBe(true);
    expect(home.isConnected).toBe(false);
    expect(await home.read({ text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    expect(home.detach()).toBe(false);
    await home.end();
  });

  it.each([false, true])(
    'notices when its snapshot has changed (behind a pooler: %s)',
    async (isPresent) => {
      const home = await openHome(isPresent);
      expect(home.detach()).toBe(true);
      await insert();
      await expect(home.read({ text: 'select 1 as one' })).rejects.toBeInstanceOf(RetryRequest);
      await home.end();
    },
  );
});
