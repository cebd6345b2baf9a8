import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { RawConnection } from '../../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB = { username: 'bob', token: 'bob-token' };
const EVE = { username: 'eve', token: 'eve-token' };

let lab: TestService;
let held: { release(): Promise<void> } | null = null;
let asked: Promise<unknown>[] = [];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
    // Cached responses would not wait for locks.
    settings: {
      answerCacheBytes: 0,
      responseCacheBytes: 0,
      // A single caller may use three of them.
      maxConcurrent: 4,
      trustProxy: ['127.0.0.1'],
      // As in production: if each request is logged, requests take another path.
      logLevel: 'info',
    },
  });
  for (const user of [BOB, EVE]) await lab.addUser(user, [CONTEXT]);
});

async function atWork(): Promise<number> {
  const { text } = await lab.call('/metrics');
  return Number(/^countergraph_requests_at_work (\d+)$/m.exec(text)?.[1]);
}

afterEach(async () => {
  await held?.release();
  held = null;
  await Promise.all(asked);
  asked = [];
  // Neither the requests that were refused nor those that waited keep a permit.
  expect(await atWork()).toBe(0);
});

afterAll(() => lab.close());

const hold = async (...tables: string[]) => {
  lab.emptyCaches();
  held = await holdTables(lab.databaseUrl, tables);
};

const ask = ({ username, token } = ADA, from = '192.0.2.1') =>
  lab.rest(
    'topper',
    {
      username,
      api_token: token,
      counter_group: GROUP,
      window_fromts: T0,
      window_seconds: 60,
      timeout: 60,
    },
    { headers: { 'x-forwarded-for': from } },
  );

/**
 * Sends one request after another, each once the one before it waits in the database. One at a
 * time: after a refusal, requests that queue on a busy machine would be refused as well.
 */
async function askAndWait(...questions: (() => Promise<unknown>)[]): Promise<void> {
  for (const question of questions) {
    const before = await countWaiting(lab.databaseUrl);
    let early: { readonly answer: unknown } | null = null;
    asked.push(
      question().then((answer) => {
        early = { answer };
      }),
    );
    while ((await countWaiting(lab.databaseUrl)) <= before) {
      expect(early, 'an answer, although the database waits').toBeNull();
      await delay(5);
    }
  }
}

const BUSY = { status: 'ERROR', message: 'Server is busy' };

describe('a user at the limit of concurrent requests', () => {
  it('gets 503 with Retry-After from both APIs, and others are answered', async () => {
    await hold('open_segment_pages');
    await askAndWait(
      () => ask(),
      () => ask(ADA, '192.0.2.2'),
      () => ask(ADA, '192.0.2.3'),
    );
    const { status, headers, body } = await ask(ADA, '192.0.2.4');
    expect([status, headers['retry-after'], body]).toEqual([503, '1', BUSY]);
    const graphql = await lab.graphql('{ viewer { username } }');
    expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(graphql.text)).toEqual({
      errors: [{ message: 'Server is busy', extensions: { code: 'BUSY' } }],
    });
    const other = await lab.graphql('{ viewer { username } }', {}, basic(BOB));
    expect(other.data).toEqual({ viewer: { username: 'bob' } });
  });

  it('is answered again once one of the requests is over', async () => {
    await hold('open_segment_pages');
    await askAndWait(
      () => ask(),
      () => ask(),
      () => ask(),
    );
    expect((await ask()).status).toBe(503);
    await held?.release();
    await Promise.all(asked);
    expect((await ask()).status).toBe(200);
  });

  it('gets a permit again when a caller leaves before the answer', async () => {
    await hold('open_segment_pages');
    const gone = new AbortController();
    const path = `${lab.path('topper')}?username=ada&api_token=ada-token&context=lab`;
    const query = `&counter_group=${GROUP}&window_fromts=${T0}&window_seconds=60`;
    const leaving = lab.call(path + query, { signal: gone.signal });
    leaving.catch(() => undefined);
    await askAndWait(
      () => ask(),
      () => ask(),
    );
    while ((await countWaiting(lab.databaseUrl)) < 3) await delay(5);
    gone.abort();
    // It counts for another quarter of a second, or callers that disconnect would have no limit.
    expect(await ask().then(({ body }) => body)).toEqual(BUSY);
    while ((await countWaiting(lab.databaseUrl)) > 2) await delay(5);
    await expect.poll(atWork).toBe(2);
    await askAndWait(() => ask());
  });
});

it('requests without a host are refused, and none keeps a permit', async () => {
  for (let i = 0; i < 10; i += 1) {
    const connection = await RawConnection.open(lab.url);
    connection.write(`GET ${lab.path('slices')} HTTP/1.1\r\nconnection: close\r\n\r\n`);
    await connection.closed();
    expect(connection.received).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(await atWork()).toBe(0);
});

describe('a stranger in the name of a user', () => {
  it('uses up the share of the address, not that of the user', async () => {
    await hold('users');
    const wrong = { ...ADA, token: 'wrong' };
    await askAndWait(
      () => ask(wrong),
      () => ask(wrong),
      () => ask(wrong),
    );
    expect(await ask(wrong).then(({ body }) => body)).toEqual(BUSY);
    // From another address, the user is admitted.
    await askAndWait(() => ask(ADA, '192.0.2.2'));
  });

  it('has one share for all addresses of an IPv6 network', async () => {
    await hold('users');
    await askAndWait(
      () => ask(ADA, '2001:db8::1'),
      () => ask(ADA, '2001:db8::2'),
      () => ask(ADA, '2001:db8::3'),
    );
    expect((await ask(ADA, '2001:db8::4')).status).toBe(503);
    await askAndWait(() => ask(BOB, '2001:db8:0:1::1'));
  });
});

describe('a server at its capacity', () => {
  const fill = async () => {
    await hold('open_segment_pages');
    await askAndWait(...[ADA, ADA, BOB, EVE].map((user, i) => () => ask(user, `192.0.2.${i}`)));
  };

  it('refuses everything else at once, before any work', async () => {
    await fill();
    const statements = lab.watchStatements();
    const rest = await ask(EVE, '192.0.2.9');
    expect([rest.status, rest.headers['retry-after'], rest.body]).toEqual([503, '1', BUSY]);
    const graphql = await lab.graphql('{ __typename }', {}, { 'x-forwarded-for': '192.0.2.9' });
    expect([graphql.status, graphql.headers['retry-after']]).toEqual([503, '1']);
    expect(graphql.errors).toEqual([{ message: 'Server is busy', extensions: { code: 'BUSY' } }]);
    const tool = await lab.call('/graphql?query={__typename}', {
      headers: { accept: 'application/graphql-response+json' },
    });
    expect(tool.status).toBe(503);
    expect(tool.headers['content-type']).toMatch(/^application\/graphql-response\+json/);
    expect(statements()).toEqual([]);
  });

  it('still answers health checks and shows its metrics', async () => {
    await fill();
    expect((await lab.call('/healthz')).status).toBe(200);
    expect((await lab.call('/readyz')).status).toBe(200);
    const { status, text } = await lab.call('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('countergraph_requests_at_work 4');
  });
});

describe('one user with sixty concurrent requests', () => {
  it('is admitted entirely by a server that has nothing else to do', async () => {
    const all = await startLab({
      groups: [group(1)],
      lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
    });
    try {
      const answers = await Promise.all(Array.from({ length: 60 }, () => all.rest('groups')));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      // On a busy machine, requests may wait in vain for a connection to the database; but
      // admission has refused none.
      const { text } = await all.call('/metrics');
      for (const why of ['total', 'share', 'wait']) {
        expect(text).toContain(`countergraph_refused_requests_total{why="${why}"} 0\n`);
      }
    } finally {
      await all.close();
    }
  });
});

describe('an overloaded server', () => {
  it('refuses requests that waited too long, logs one line, and answers probes', async () => {
    const overloaded = await startLab({
      groups: [group(1)],
      lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
      settings: { answerCacheBytes: 0, maxWaitMs: 1 },
    });
    // Keeps the event loop busy, however much of the machine other processes take.
    let filler = setImmediate(function again() {
      filler = setImmediate(again);
    });
    try {
      const statuses = new Map<number, number>();
      const caller = async () => {
        while ((statuses.get(503) ?? 0) < 50) {
          const { status } = await overloaded.rest('groups', { get_meter_info: true });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 60 }, caller));
      expect([...statuses.keys()].sort()).toEqual([200, 503]);
      expect((await overloaded.call('/healthz')).status).toBe(200);
      const { text } = await overloaded.call('/metrics');
      const told = overloaded.logText().match(/"refused":\d+,"msg":"too busy/g);
      expect(told).toHaveLength(1);
      expect(text).toMatch(/countergraph_refused_requests_total\{why="wait"\} \d+/);
    } finally {
      clearImmediate(filler);
      await overloaded.close();
    }
  });
});
