import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let lab: TestService;
let behindProxy: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'a', ts: T0, values: { 0: 5 } }],
  });
  behindProxy = await startTestService({
    databaseUrl: lab.databaseUrl,
    settings: { trustProxy: ['127.0.0.0/8'] },
  });
});

afterAll(async () => {
  await behindProxy.close();
  await lab.close();
});

const idOf = async (service: TestService, given: string): Promise<unknown> =>
  (await service.rest('slices', {}, { headers: { 'x-request-id': given } })).headers[
    'x-request-id'
  ];

/** Returns the lines that were logged while `work` ran. */
async function linesOf(
  service: TestService,
  work: () => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const before = service.logText().length;
  await work();
  const text = service.logText().slice(before);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const TOPPER = { counter_group: GROUP, meter: 0, window_fromts: T0, window_seconds: 3600 };

const WAITING = `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
  where l.relation = 'open_segment_pages'::regclass and not l.granted and a.datname = current_database()`;

/** Returns the names of the sessions that work for `request`, while a lock holds it up. */
async function sessionsOf(
  service: TestService,
  request: () => Promise<unknown>,
): Promise<readonly string[]> {
  service.emptyCaches();
  return service.write((connection) =>
    inTransaction(connection, async () => {
      await connection.query('lock table open_segment_pages in access exclusive mode');
      const running = request();
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      running.then(over, over);
      while (!isOver) {
        // On another connection: within a transaction, PostgreSQL always shows the same sessions.
        const rows = await lab.sql<{ name: string }>(WAITING);
        if (rows.length === 0) continue;
        await connection.query('commit; begin');
        await running;
        return rows.map(({ name }) => name);
      }
      throw new Error('the request was not held up');
    }),
  );
}

describe('the id of a request', () => {
  it('is the one from a trusted proxy', async () => {
    expect(await idOf(behindProxy, 'proxy-4711')).toBe('proxy-4711');
    const trace = '1-67891233:abcdef012345678912345678=x';
    expect(await idOf(behindProxy, trace)).toBe(trace);
    expect(await idOf(behindProxy, 'x'.repeat(50))).toBe('x'.repeat(50));
  });

  it('is a new one for all other callers', async () => {
    expect(await idOf(lab, 'caller-4711')).toMatch(MADE);
  });

  it.each([
    'x'.repeat(51),
    "a'; drop table users",
    'a b',
    'a\tb',
    '',
    'größe',
    'a$1',
    'a\\',
    'a"b',
  ])('is a new one if that of the proxy is invalid: %j', async (given) => {
    expect(await idOf(behindProxy, Buffer.from(given).toString('latin1'))).toMatch(MADE);
  });

  it('is in every line of the log for it', async () => {
    const ask = () => lab.rest('topper', TOPPER);
    let id: unknown;
    const lines = await linesOf(lab, async () => {
      id = (await ask()).headers['x-request-id'];
    });
    expect(lines.map(({ msg }) => msg)).toEqual(['a topper was planned', 'request']);
    expect(lines.map(({ requestId }) => requestId)).toEqual([id, id]);
  });

  it('is in the lines of a defect, too', async () => {
    await lab.sql('alter table pools rename to away');
    let id: unknown;
    const lines = await linesOf(lab, async () => {
      const document = '{ context(name: "lab") { pools { name } } }';
      id = (await lab.graphql(document)).headers['x-request-id'];
    });
    await lab.sql('alter table away rename to pools');
    expect(lines.map(({ msg }) => msg)).toContain('a GraphQL field failed');
    expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(new Set([id]));
  });

  it('is not in lines without a request, such as for a lost connection', async () => {
    // Uses a separate database, so that no other test loses its connections.
    const own = await startLab({ groups: [group(1)] });
    const lost = async () => {
      await own.rest('slices');
      await own.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'countergraph'`);
      while (!own.logText().includes('a database connection was lost'))
        await own.sql('select pg_sleep(0)');
    };
    const lines = await linesOf(own, lost);
    await own.close();
    const told = lines.filter(({ msg }) => msg === 'a database connection was lost');
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((line) => 'requestId' in line)).toEqual([]);
    // Nor do they contain the connection's key to cancel statements, or texts of statements.
    expect(
      told.map((line) => JSON.stringify(line)).filter((line) => /Key|select /.test(line)),
    ).toEqual([]);
  });

  it('is shown by PostgreSQL only while it works for the request', async () => {
    const headers = { 'x-request-id': 'proxy-0815' };
    const names = await sessionsOf(behindProxy, () =>
      behindProxy.rest('topper', TOPPER, { headers }),
    );
    expect(names).toEqual(['countergraph proxy-0815']);
    // The answer does not wait for the commit of a transaction that only read.
    const left = `select from pg_stat_activity where application_name like '%proxy-0815%'`;
    await expect.poll(() => lab.sql(left)).toEqual([]);
  });
});

describe('statements that need no transaction', () => {
  const SLICES = '{ context(name: "lab") { slices { name } } }';

  it.each<[string, (headers: Record<string, string>) => Promise<unknown>]>([
    ['the identity', (headers) => behindProxy.rest('groups', {}, { headers })],
    ['the identity and slices', (headers) => behindProxy.rest('slices', {}, { headers })],
    ['slices', (headers) => behindProxy.graphql(SLICES, {}, { ...basic(ADA), ...headers })],
  ])('of %s have the id among their parameters', async (_, ask) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    try {
      // With warm caches, only such statements are sent.
      for (const id of ['proxy-1', 'proxy-2']) await ask({ 'x-request-id': id });
      const named = sent.mock.calls.flatMap(([config]: unknown[]) => {
        const { name, values = [] } = Object(config) as { name?: string; values?: unknown[] };
        return name ? [values.includes('proxy-2') || values.includes('proxy-1')] : [];
      });
      expect(named.length).toBeGreaterThan(0);
      expect(named).toEqual(named.map(() => true));
    } finally {
      sent.mockRestore();
    }
  });
});

describe('the log line of a request', () => {
  it('names the user, once authenticated, and the operation', async () => {
    const ask = () => lab.data('query WhoAmI { viewer { username } }');
    expect(await linesOf(lab, ask)).toMatchObject([
      { msg: 'request', user: 'ada', operation: 'WhoAmI', path: '/graphql', status: 200 },
    ]);
    expect(await linesOf(lab, () => lab.rest('slices'))).toMatchObject([
      { msg: 'request', user: 'ada', operation: null, status: 200 },
    ]);
    expect(await linesOf(lab, () => lab.rest('slices', { api_token: 'wrong' }))).toMatchObject([
      { msg: 'request', user: null, status: 401 },
    ]);
  });
});

describe('slow requests', () => {
  const slowLines = async (slowMs: number, work: (service: TestService) => Promise<unknown>) => {
    const service = await startTestService({ databaseUrl: lab.databaseUrl, settings: { slowMs } });
    try {
      const lines = await linesOf(service, () => work(service));
      return lines.filter(({ msg }) => msg === 'a request was slow');
    } finally {
      await service.close();
    }
  };
  const held = (service: TestService) => sessionsOf(service, () => service.rest('topper', TOPPER));

  it('are logged with the user, the duration, and the plans of their toppers', async () => {
    const lines = await slowLines(1, held);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        user: 'ada',
        requestId: expect.stringMatching(MADE),
        ms: expect.any(Number),
        plans: [
          expect.objectContaining({
            counterGroup: GROUP,
            meter: 0,
            segments: 1,
            blocksRead: expect.any(Number),
            window: { from: T0, to: T0 + 3600 },
          }),
        ],
      }),
    ]);
    expect(lines[0]?.['ms']).toBeGreaterThanOrEqual(1);
  });

  it('that timed out are logged with what was to be read', async () => {
    const lines = await slowLines(1, async (service) => {
      const late = async () => {
        const answer = await service.rest('topper', { ...TOPPER, timeout: 1 });
        expect(answer.status).toBe(500);
      };
      await service.write((connection) =>
        inTransaction(connection, async () => {
          await connection.query('lock table open_segment_pages in access exclusive mode');
          await late();
        }),
      );
    });
    expect(lines).toMatchObject([
      {
        plans: [{ counterGroup: GROUP, blocks: [{ count: expect.any(Number) }], blocksRead: null }],
      },
    ]);
  });

  it('list a limited number of plans, and count the others', async () => {
    const toppers = Array.from(
      { length: 30 },
      (_, i) =>
        `t${i}: topper(window: { interval: { from: ${T0 + i}, to: ${T0 + 3600} } }) { total }`,
    ).join(' ');
    const document = `query Many { context(name: "lab") {
      counterGroup(guid: "${GROUP}") { ${toppers} } } }`;
    const lines = await slowLines(1, (service) =>
      sessionsOf(service, () => service.data(document)),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ operation: 'Many', user: 'ada' });
    expect(lines[0]?.['plans']).toHaveLength(20);
    expect(lines[0]?.['plansLeftOut']).toBeGreaterThan(0);
  });

  it('are those beyond COUNTERGRAPH_SLOW_MS, and 0 means none', async () => {
    expect(await slowLines(0, held)).toEqual([]);
    expect(await slowLines(3_600_000, held)).toEqual([]);
  });
});

describe('probes', () => {
  it('are logged at debug if they succeed, and like any request if not', async () => {
    const paths = ['/healthz', '/readyz', '/metrics'];
    const levels = async () => {
      const lines = await linesOf(behindProxy, async () => {
        for (const path of paths) await behindProxy.call(path);
      });
      return lines.map(({ path, level }) => [path, level]);
    };
    expect(await levels()).toEqual(paths.map((path) => [path, 20]));
    behindProxy.beginToClose();
    expect(await levels()).toEqual(paths.map((path) => [path, path === '/readyz' ? 30 : 20]));
  });
});
