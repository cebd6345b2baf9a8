import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NodePools } from '../../../db/session/node-pools.ts';
import { ReadSession } from '../../../db/session/read-session.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../../support/database/database.ts';

let database: TestDatabase;
let pools: NodePools;

beforeAll(async () => {
  database = await createTestDatabase();
  // A session's advisory lock outlives a rollback, so it counts the calls of a read-only session.
  await withClient(database.url, (client) =>
    client.query(`
create table facts (n int);
create function conflict_for(calls int) returns int language plpgsql as $$
declare made int := (select count(*) from pg_locks
  where locktype = 'advisory' and pid = pg_backend_pid() and classid = 4711);
begin
  if made >= calls then return made; end if;
  perform pg_advisory_lock(4711, made);
  raise exception 'canceling statement due to conflict with recovery' using errcode = '40001';
end $$`),
  );
});

afterAll(async () => {
  await pools?.close();
  await database.drop();
});

function openSession(): ReadSession {
  // Each session has its own pool, so that advisory locks end with their test.
  pools = new NodePools({ primaryUrl: database.url });
  return new ReadSession({
    pool: pools.at(database.url),
    onStatement: () => {},
    deadline: null,
    signal: new AbortController().signal,
    mayReadAlone: true,
  });
}

async function close(session: ReadSession): Promise<void> {
  await session.end();
  await pools.close();
}

describe('a read session', () => {
  it('retries once if a standby cancels the statement for recovery (decision 13)', async () => {
    const session = openSession();
    expect(await session.read({ text: 'select conflict_for(1) as made' })).toEqual([{ made: 1 }]);
    await close(session);
  });

  it('retries only once, and reports the conflict', async () => {
    const session = openSession();
    await expect(session.read({ text: 'select conflict_for(9)' })).rejects.toMatchObject({
      kind: 'conflict',
      status: 500,
    });
    await close(session);
  });

  it('sees one snapshot, whatever is committed meanwhile', async () => {
    const session = openSession();
    const count = () => session.read<{ n: number }>({ text: 'select count(*)::int n from facts' });
    const [before] = await count();
    await withClient(database.url, (client) => client.query('insert into facts values (1)'));
    expect(await count()).toEqual([before]);
    await close(session);
  });

  it('continues after a failed statement', async () => {
    const session = openSession();
    await expect(session.read({ text: 'select 1 / 0' })).rejects.toThrow('division by zero');
    expect(await session.read({ text: 'select 1 as n' })).toEqual([{ n: 1 }]);
    await close(session);
  });

  it('cannot write', async () => {
    const session = openSession();
    await expect(session.read({ text: 'insert into facts values (2)' })).rejects.toThrow(
      'read-only transaction',
    );
    await close(session);
  });

  it('sends a cancel immediately when its caller goes away', async () => {
    pools = new NodePools({ primaryUrl: database.url });
    const pool = pools.at(database.url);
    const query = vi.spyOn(pool.control, 'query');
    const gone = new AbortController();
    const session = new ReadSession({
      pool,
      onStatement: () => {},
      deadline: null,
      mayReadAlone: true,
      signal: gone.signal,
    });
    const reading = session.read({ text: 'select pg_sleep(60)' });
    const ended = expect(reading).rejects.toBeDefined();
    while (!(await isSleeping())) await delay(5);
    gone.abort();
    // Microtasks run before any timer or I/O.
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    expect(query.mock.calls.map(([text]) => text)).toEqual(['select pg_cancel_backend($1::int)']);
    await ended;
    expect(await isSleeping()).toBe(false);
    await close(session);
  });

  it('that shares its read with others fails with them if no connection is made', async () => {
    let connections = 0;
    // Never answers, like a machine that is down.
    const silent = createServer(() => {
      connections += 1;
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `postgres://a@127.0.0.1:${(silent.address() as AddressInfo).port}/a`;
    const silentPools = new NodePools({ primaryUrl: url });
    const signal = new AbortController().signal;
    const sessions = Array.from({ length: 8 }, () => {
      const pool = silentPools.at(url);
      return new ReadSession({
        pool,
        onStatement: () => {},
        deadline: null,
        signal,
        mayReadAlone: true,
      });
    });
    const check = { text: 'select', isSame: () => true, seen: new Map() };
    const outcomes = await Promise.allSettled(
      sessions.map((session) =>
        session.readAlone({ query: 'one', text: 'select 1', sharedAs: 'one' }, () => check),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'rejected'));
    // Those that read on their own, and one for all others.
    expect(connections).toBe(LIMITS.sharedReads + 1);
    await Promise.all(sessions.map((session) => session.end()));
    await silentPools.close();
    silent.close();
  });
});

const isSleeping = (): Promise<boolean> =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = current_database() and state = 'active'
         and query like 'select pg_sleep%'`,
    );
    return rows.length > 0;
  });
