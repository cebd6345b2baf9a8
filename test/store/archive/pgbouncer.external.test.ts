import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from 'vitest';
import { ALERT_DECISION_LOCK, NOTIFICATION_LOCK } from '../../../db/advisory-locks.ts';
import {
  inTransaction,
  openConnection,
  openTransaction,
} from '../../../db/connection/connection.ts';
import { findPooling, NEEDS_SESSION } from '../../../db/connection/pooling.ts';
import { cancelOnAbort } from '../../../db/connection/with-connection.ts';
import { expectedSchemaVersion, migrate, NO_SCHEMA } from '../../../db/migrate.ts';
import { databaseUrl, dropDatabase, withClient } from '../../support/database/database.ts';
import { digestOf } from '../../support/database/database-digest.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  CONTEXT,
  type Line,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';
import {
  type PgBouncer,
  type PgBouncerOptions,
  startPgBouncer,
} from '../../support/programs/pgbouncer.ts';
import { type CommandOutcome, runOnDatabase } from '../../support/programs/run-command.ts';

const line = (key: string, ts: number): Line => ({ group: guidOf(1), key, ts, values: { 0: 1 } });

let lab: TestService;
let poolers: PgBouncer[];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    declaration: { retention_days: 1 },
    lines: [line('a', T0), line('b', T0 + DAY)],
  });
});
afterAll(() => lab?.close());

beforeEach(() => {
  poolers = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const pooler of poolers) await pooler.stop();
});

async function poolerOf(options: PgBouncerOptions, url = lab.databaseUrl): Promise<string> {
  const pooler = await startPgBouncer(url, options);
  poolers.push(pooler);
  return pooler.url;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Leaves a number of idle backends in the pooler. */
async function warmUp(url: string, processes: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: processes }, () => connect(url)));
  for (const client of clients) await client.query('begin');
  for (const client of clients) await client.query('select 1');
  for (const client of clients) await client.query('commit');
  for (const client of clients) await client.end();
}

function run(url: string, ...parameters: string[]): Promise<CommandOutcome> {
  vi.stubEnv('DATABASE_URL', url);
  return runOnDatabase(parameters);
}

describe('the detected mode of a pooler', () => {
  it('is none without a pooler', async () => {
    await withClient(lab.databaseUrl, async (client) => {
      expect(await findPooling(client, () => connect(lab.databaseUrl))).toBe('none');
    });
  });

  it.each<[PgBouncerOptions, number]>([
    [{ mode: 'session' }, 0],
    [{ mode: 'session', roundRobin: true }, 0],
    [{ mode: 'transaction' }, 0],
    [{ mode: 'transaction' }, 5],
    [{ mode: 'transaction', poolSize: 1 }, 1],
    [{ mode: 'transaction', roundRobin: true }, 1],
    [{ mode: 'transaction', roundRobin: true }, 2],
    [{ mode: 'transaction', roundRobin: true }, 3],
    [{ mode: 'transaction', roundRobin: true }, 5],
  ])('is right for %j with %i idle backends', async (options, processes) => {
    const url = await poolerOf(options);
    await warmUp(url, processes);
    await withClient(url, async (client) => {
      expect(await findPooling(client, () => connect(url))).toBe(options.mode);
    });
  });

  it('is the cautious one if it cannot be detected', async () => {
    // The first connection has the only backend, so the second one waits.
    const url = await poolerOf({ mode: 'session', poolSize: 1 });
    await withClient(url, async (client) => {
      expect(await findPooling(client, () => connect(url))).toBe('transaction');
    });
  });
});

describe('through a pooler in transaction mode', () => {
  it('timeouts are lifted only within transactions', async () => {
    const url = await poolerOf({ mode: 'transaction', poolSize: 1 });
    const timeout = async (client: pg.ClientBase): Promise<unknown> =>
      (await client.query('show statement_timeout')).rows[0];
    await lab.sql(
      `alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '7min'`,
    );
    const connection = await openConnection(url, 'test');
    try {
      expect(await timeout(connection)).toEqual({ statement_timeout: '7min' });
      await inTransaction(connection, async () => {
        expect(await timeout(connection)).toEqual({ statement_timeout: '0' });
      });
      expect(await timeout(connection)).toEqual({ statement_timeout: '7min' });
    } finally {
      await connection.end();
    }
  });

  it('two concurrent imports wait for each other, and both succeed', async () => {
    const url = await poolerOf({ mode: 'transaction' });
    const behind = await startTestService({ databaseUrl: url });
    try {
      await Promise.all([
        behind.importSamples([line('c', T0 + 2 * DAY)]),
        behind.importSamples([line('d', T0 + 2 * DAY)]),
      ]);
    } finally {
      await behind.close();
    }
    const rows = 'select sum(row_count)::int as rows from segments where died is null';
    expect(await lab.sql(rows)).toEqual([{ rows: 4 }]);
    expect(await run(url, 'verify', '--context', CONTEXT)).toMatchObject({
      status: 0,
      out: [expect.stringMatching(/ 4 samples in 4 segments of 3 slices, .* were checked/)],
    });
    expect(await run(url, 'rebuild', '--context', CONTEXT)).toMatchObject({ status: 0 });
    // No lock stays behind on a backend that others get. The server that is not behind the pooler
    // evaluates and notifies on its own connections, and keeps their locks.
    const own = [ALERT_DECISION_LOCK, NOTIFICATION_LOCK];
    const locks = `select classid from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())
      and classid not in (${own.join()})`;
    expect(await lab.sql(locks)).toEqual([]);
  });

  it('an abort cancels the open transaction, and no other', async () => {
    const url = await poolerOf({ mode: 'transaction' });
    const aborting = new AbortController();
    const connection = await openConnection(url, 'test');
    try {
      const stop = await cancelOnAbort(url, connection, aborting.signal);
      const sleeping = inTransaction(connection, async () => {
        expect(openTransaction(connection)).not.toBeNull();
        const asleep = connection.query('select pg_sleep(600)');
        const sleeper = "select from pg_stat_activity where wait_event = 'PgSleep'";
        while ((await lab.sql(sleeper)).length === 0);
        aborting.abort();
        await asleep;
      });
      await expect(sleeping).rejects.toMatchObject({ code: '57014' });
      expect(openTransaction(connection)).toBeNull();
      await stop();
    } finally {
      await connection.end();
    }
  });

  it.each([
    ['drop', ['--confirm', CONTEXT]],
    ['archive', ['--pool', 'oper']],
  ])(
    'slices %s is refused, because its locks would be lost, and changes nothing',
    async (what, more) => {
      await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: '/tmp' }] });
      const url = await poolerOf({ mode: 'transaction' });
      const before = await digestOf(lab.databaseUrl);
      const slice = ['--slice', 'slice-20240715-0000'];
      expect(await run(url, 'slices', what, '--context', CONTEXT, ...slice, ...more)).toEqual({
        status: 1,
        out: [],
        err: [`countergraph: Slices cannot be archived, restored or dropped: ${NEEDS_SESSION}`],
      });
      expect(await digestOf(lab.databaseUrl)).toEqual(before);
      expect(await run(url, 'slices', 'list', '--context', CONTEXT)).toMatchObject({ status: 0 });
    },
  );

  it('the server drops no old slices, and logs so once', async () => {
    const behind = await startTestService({ databaseUrl: await poolerOf({ mode: 'transaction' }) });
    try {
      await lab.importSamples([line('newest', T0 + 9 * DAY)]);
      behind.clock.seconds = Math.floor(Date.now() / 1000);
      await behind.dropExpiredNow();
      await behind.dropExpiredNow();
      const said = behind.logText().split(`old slices are not dropped: ${NEEDS_SESSION}`);
      expect(said).toHaveLength(2);
      const { text } = await behind.call('/metrics');
      expect(text).toContain('countergraph_retention_runs_total{outcome="failed"} 2');
    } finally {
      await behind.close();
    }
    expect(await lab.sql('select from slices')).toHaveLength(4);
  });

  it('an outdated schema is not migrated', async () => {
    const admin = inject('adminUrl');
    const name = `${inject('templateDatabase')}_unmigrated`;
    await withClient(admin, (client) => client.query(`create database ${name} template template0`));
    try {
      const url = databaseUrl(admin, name);
      const transaction = await poolerOf({ mode: 'transaction' }, url);
      await expect(migrate(transaction)).rejects.toThrow(
        `The schema must be migrated, which is not possible here: ${NEEDS_SESSION}`,
      );
      const to = await expectedSchemaVersion();
      const session = await poolerOf({ mode: 'session' }, url);
      expect(await migrate(session)).toMatchObject({ from: NO_SCHEMA, to });
      // With nothing to migrate, the pooler is no obstacle.
      expect(await migrate(transaction)).toEqual({ from: to, to, applied: [] });
    } finally {
      for (const pooler of poolers.splice(0)) await pooler.stop();
      await dropDatabase(admin, name);
    }
  });
});

describe('through a pooler in session mode', () => {
  it('slices are dropped', async () => {
    const url = await poolerOf({ mode: 'session' });
    const slice = ['--slice', 'slice-20240715-0000', '--confirm', CONTEXT];
    expect(await run(url, 'slices', 'drop', '--context', CONTEXT, ...slice)).toEqual({
      status: 0,
      out: ['slice-20240715-0000 was dropped'],
      err: [],
    });
  });
});
