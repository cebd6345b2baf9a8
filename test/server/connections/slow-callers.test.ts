import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { holdTables } from '../../support/database/held-tables.ts';
import { RawConnection, statusOf } from '../../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
/** Keys with long texts: an answer of some 10 MB, more than a connection's buffers hold. */
const KEYS = 6_000;

let lab: TestService;
let open: RawConnection[] = [];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: Array.from({ length: KEYS }, (_, i) => ({
      group: GROUP,
      key: `${i}-${'k'.repeat(490)}`,
      ts: T0,
      values: { 0: i + 1 },
      description: 'd'.repeat(500),
    })),
    settings: {
      answerCacheBytes: 0,
      responseCacheBytes: 0,
      headersSeconds: 1,
      slowCallerSeconds: 2,
      keepAliveSeconds: 1,
      maxConnections: 20,
    },
  });
});

afterEach(async () => {
  for (const connection of open) connection.destroy();
  open = [];
  // Whatever slow callers did, others get correct answers promptly.
  const largest = { counter_group: GROUP, window_fromts: T0, window_seconds: 60, maxitems: 1 };
  const signal = AbortSignal.timeout(5_000);
  const { status, text } = await lab.rest('topper', largest, { signal });
  expect([status, JSON.parse(text)]).toMatchObject([200, { keys: [{ metric: KEYS }] }]);
});

afterAll(() => lab.close());

async function connected(): Promise<RawConnection> {
  const connection = await RawConnection.open(lab.url);
  open.push(connection);
  return connection;
}

/** Keeps writing, one byte at a time, until the server closes the connection. */
async function trickle(connection: RawConnection): Promise<void> {
  while (!connection.isClosed) {
    connection.write('x');
    await delay(50);
  }
}

const TOO_SLOW = '{"status":"ERROR","message":"The request must arrive within 2 seconds"}';
const HEADERS_TOO_SLOW = '{"status":"ERROR","message":"The headers must arrive within 1 seconds"}';

describe('a caller that sends a byte now and then', () => {
  it('of its headers gets 408 and is cut off', async () => {
    const connection = await connected();
    connection.write('GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ');
    await trickle(connection);
    expect(statusOf(connection.received)).toBe(408);
    expect(connection.received).toContain(HEADERS_TOO_SLOW);
    expect(connection.received).toMatch(/\r\nx-request-id: \S{8,}\r\n/);
  });

  it.each(['/graphql', '/api/topper/topper_request'])(
    'of a body for %s gets 408 too',
    async (path) => {
      const connection = await connected();
      const headers = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 9999';
      connection.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n{`);
      await trickle(connection);
      expect(statusOf(connection.received)).toBe(408);
      expect(connection.received).toContain(TOO_SLOW);
    },
  );

  it('of a chunked body gets 408 too, and holds no permit afterwards', async () => {
    const connection = await connected();
    const headers = 'host: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked';
    connection.write(`POST /graphql HTTP/1.1\r\n${headers}\r\n\r\n`);
    while (!connection.isClosed) {
      connection.write('1\r\n{\r\n');
      await delay(50);
    }
    expect(statusOf(connection.received)).toBe(408);
    const metrics = async () => (await lab.call('/metrics')).text;
    await expect.poll(metrics).toContain('countergraph_requests_at_work 0');
  });
});

describe('a connection', () => {
  it('on which nothing is ever sent is closed', async () => {
    const connection = await connected();
    await connection.closed();
    expect(connection.isClosed).toBe(true);
  });

  it('that is idle after an answer is closed', async () => {
    const connection = await connected();
    connection.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await connection.closed();
    expect(connection.received).toMatch(/^HTTP\/1\.1 200 [\s\S]*alive\n$/);
  });

  it('beyond the limit is closed at once, and others keep working', async () => {
    const { databaseUrl } = lab;
    const few = await startTestService({ databaseUrl, settings: { maxConnections: 2 } });
    const first = await RawConnection.open(few.url);
    const second = await RawConnection.open(few.url);
    try {
      first.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
      await first.until('alive');
      const third = await RawConnection.open(few.url);
      await third.closed();
      expect(third.received).toBe('');
      second.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
      expect(await second.until('alive')).toContain('200 OK');
    } finally {
      for (const connection of [first, second]) connection.destroy();
      await few.close();
    }
  });
});

it('a caller may wait for longer than it may take to read, even for a second answer', async () => {
  const held = await holdTables(lab.databaseUrl, ['slices']);
  const connection = await connected();
  const query = 'username=ada&api_token=ada-token&context=lab';
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  try {
    connection.write(request('/healthz') + request(`${lab.path('slices')}?${query}`));
    await connection.until('alive');
    // A caller that sends its request too slowly, and began later, is cut off meanwhile.
    const slow = await connected();
    const headers = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 9999';
    slow.write(`POST /graphql HTTP/1.1\r\n${headers}\r\n\r\n{`);
    await trickle(slow);
    expect(slow.received).toContain(TOO_SLOW);
    expect(connection.isClosed).toBe(false);
  } finally {
    await held.release();
  }
  expect(await connection.until('"slices":')).toContain('"context_name":"lab"');
});

describe('a caller that reads its answer slowly or never', () => {
  const QUERY = new URLSearchParams({
    username: 'ada',
    api_token: 'ada-token',
    context: 'lab',
    counter_group: GROUP,
    window_fromts: String(T0),
    window_seconds: '60',
    maxitems: String(KEYS),
    get_percentiles: Array.from({ length: 40 }, (_, i) => i).join(','),
  });

  const busyConnections = async (): Promise<number> => {
    const { text } = await lab.call('/metrics');
    return Number(
      /countergraph_node_connections\{node="primary",state="busy"\} (\d+)/.exec(text)?.[1],
    );
  };

  it('holds no connection to the database and no permit, and is cut off', async () => {
    const path = `${lab.path('topper')}?${QUERY}`;
    const whole = (await lab.call(path)).text.length;
    expect(whole).toBeGreaterThan(8_000_000);
    const connection = await connected();
    connection.socket.pause();
    connection.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    // The log gets a line once a request is over, even if it was cut off.
    const mark = lab.logText().length;
    let metrics = '';
    while (!lab.logText().slice(mark).includes('topper_request')) {
      metrics = (await lab.call('/metrics')).text;
      await delay(20);
    }
    // The last poll before that was of a request whose response only remained to be read.
    expect(metrics).toContain('countergraph_requests_at_work 0');
    expect(await busyConnections()).toBe(0);
    connection.socket.resume();
    await connection.closed();
    expect(connection.received.length).toBeLessThan(whole);
  });

  it('gets all of it if it keeps reading, however slowly', async () => {
    const { databaseUrl } = lab;
    const patient = await startTestService({ databaseUrl, settings: { slowCallerSeconds: 2 } });
    const connection = await RawConnection.open(patient.url);
    open.push(connection);
    connection.socket.pause();
    const head = 'host: x\r\nconnection: close';
    connection.write(`GET ${lab.path('topper')}?${QUERY} HTTP/1.1\r\n${head}\r\n\r\n`);
    // Reads a little at a time, for longer than a caller may read nothing.
    for (let i = 0; i < 30; i += 1) {
      connection.socket.resume();
      await delay(1);
      connection.socket.pause();
      await delay(100);
    }
    connection.socket.resume();
    await connection.closed();
    const length = Number(/content-length: (\d+)/.exec(connection.received)?.[1]);
    const body = connection.received.slice(connection.received.indexOf('\r\n\r\n') + 4);
    expect(body.length).toBe(length);
    await patient.close();
  });
});
