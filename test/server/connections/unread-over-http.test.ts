import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpCall } from '../../support/http/http-call.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { RawConnection, statusOf } from '../../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const KEYS = 4_000;

/** Much smaller than the answers below, which are larger than the buffers of a connection. */
const LIMITS = {
  unreadBytes: 4_000_000,
  unreadBytesPerAddress: 1_000_000,
  stuckReaderMs: 600_000,
  slowCallerSeconds: 600,
  // Any caller of the tests may say which address it has.
  trustProxy: ['loopback'],
};

let lab: TestService;
/** Remembers no answers. */
let forgetful: TestService;
let open: RawConnection[] = [];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: Array.from({ length: KEYS }, (_, i) => ({
      group: GROUP,
      key: `é${i}-${'k'.repeat(490)}`,
      ts: T0,
      values: { 0: i + 1 },
      label: `${i}-${'l'.repeat(400)}`,
      description: '漢'.repeat(400),
    })),
    settings: LIMITS,
  });
  forgetful = await serve({});
});

const serve = (settings: object) =>
  startTestService({
    databaseUrl: lab.databaseUrl,
    settings: { ...LIMITS, answerCacheBytes: 0, responseCacheBytes: 0, ...settings },
  });

afterEach(async () => {
  for (const connection of open) connection.destroy();
  open = [];
  // Whatever readers did, nothing of them counts any more.
  for (const service of [lab, forgetful]) {
    expect((await service.call('/graphql', askFor(10))).text).toContain('"description"');
  }
});

afterAll(async () => {
  await forgetful.close();
  await lab.close();
});

const documentOf = (aliases: number, maxItems: number): string =>
  `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") {
    topper(maxItems: ${maxItems}, window: { interval: { from: ${T0}, to: ${T0 + 60} } }) {
      keys { description ${Array.from({ length: aliases }, (_, i) => `a${i}: description`).join(' ')}
      } } } } }`;

/** A GraphQL request; with one alias some 10 MB are answered, unless there are fewer keys. */
const askFor = (aliases: number, maxItems = KEYS, from = '203.0.113.1'): HttpCall => ({
  method: 'POST',
  headers: { ...basic(ADA), 'content-type': 'application/json', 'x-forwarded-for': from },
  body: JSON.stringify({ query: documentOf(aliases, maxItems) }),
});

const LARGE = askFor(1);
/** Larger than what is never postponed, and smaller than the share of an address. */
const MIDDLE = askFor(0, 400);
const SMALL = askFor(0, 5);

/** Sends a request on a connection of its own, whose reader reads nothing. */
async function send(
  service: TestService,
  path: string,
  { method = 'GET', headers = {}, body = '' }: HttpCall,
): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  open.push(connection);
  connection.socket.pause();
  const all = {
    host: 'x',
    connection: 'close',
    'content-length': String(Buffer.byteLength(String(body))),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return connection;
}

/** Reads a piece, lets the server do what it can, reads the next piece, and so on. */
async function readSlowly(connection: RawConnection): Promise<void> {
  const { socket } = connection;
  socket.on('data', () => {
    socket.pause();
    setImmediate(() => socket.resume());
  });
  socket.resume();
  await connection.closed();
}

const bodyOf = (received: string): string => received.slice(received.indexOf('\r\n\r\n') + 4);

const lengthOf = (received: string): number =>
  Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, 5_000))?.[1]);

const restPath = (service: TestService, more: Record<string, string>): string =>
  `${service.path('topper')}?${new URLSearchParams({
    context: CONTEXT,
    username: ADA.username,
    api_token: ADA.token,
    counter_group: GROUP,
    window_fromts: String(T0),
    window_seconds: '60',
    maxitems: String(KEYS),
    ...more,
  })}`;

const metricsOf = async (service: TestService) =>
  readMetrics((await service.call('/metrics')).text);

/** Requests that hold a permit, and connections of the database that are in use. */
async function heldBy(service: TestService) {
  const metrics = await metricsOf(service);
  return [
    metrics.value('countergraph_requests_at_work'),
    metrics.value('countergraph_node_connections', { node: 'primary', state: 'busy' }),
  ];
}

/** An answer that is on its way: `text` when it has arrived. */
function ask(service: TestService, call: HttpCall) {
  const state = { status: 0, text: null as string | null, failed: false };
  service.call('/graphql', call).then(
    ({ status, text }) => {
      state.status = status;
      state.text = text;
    },
    () => {
      state.failed = true;
    },
  );
  return state;
}

/** A reader who reads nothing of a large answer, which is rendered by now. */
async function openStuck(service: TestService): Promise<RawConnection> {
  const statements = service.watchStatements();
  const stuck = await send(service, '/graphql', LARGE);
  await expect.poll(() => statements().length).toBeGreaterThan(0);
  await expect.poll(() => heldBy(service)).toEqual([0, 0]);
  return stuck;
}

/** An answer that waits for the reader who reads nothing. */
async function askAndWait(service: TestService, call: HttpCall) {
  const statements = service.watchStatements();
  const waiting = ask(service, call);
  await expect.poll(() => statements().length).toBeGreaterThan(0);
  // It is not answered, and has neither permit nor connection: it waits.
  await expect.poll(() => heldBy(service)).toEqual([0, 0]);
  expect(waiting.text).toBeNull();
  return waiting;
}

describe('an answer larger than the share of its address', () => {
  const get = (headers = {}): HttpCall => ({ headers: { ...basic(ADA), ...headers } });
  const query = `/graphql?query=${encodeURIComponent(documentOf(1, KEYS))}`;
  const series = { format: 'csv', get_percentiles: '50,90' };

  it.each<[string, string, () => string, HttpCall]>([
    ['GraphQL, POSTed', 'application/json', () => '/graphql', LARGE],
    ['GraphQL by GET', 'application/json', () => query, get({ accept: 'application/json' })],
    ['JSON of REST', 'application/json', () => restPath(lab, {}), get()],
    ['CSV of REST', 'text/csv', () => restPath(lab, series), get()],
    [
      'an event stream',
      'text/event-stream',
      () => '/graphql',
      { ...LARGE, headers: { ...LARGE.headers, accept: 'text/event-stream' } },
    ],
  ])('is delivered whole to a reader who reads slowly: %s', async (_, type, path, call) => {
    for (const service of [forgetful, lab]) {
      const quick = await service.call(path(), call);
      expect(quick.status).toBe(200);
      expect(quick.headers['content-type']).toContain(type);
      const bytes = Buffer.byteLength(quick.text);
      expect(bytes).toBeGreaterThan(LIMITS.unreadBytesPerAddress);
      expect(Number(quick.headers['content-length'])).toBe(bytes);
      const slow = await send(service, path(), call);
      await readSlowly(slow);
      expect(statusOf(slow.received.slice(0, 1000))).toBe(200);
      expect(lengthOf(slow.received)).toBe(bytes);
      expect(bodyOf(slow.received) === Buffer.from(quick.text).toString('latin1')).toBe(true);
    }
  });

  it('has its length and its tag without the body, too', async () => {
    for (const service of [forgetful, lab]) {
      const path = restPath(service, {});
      const whole = await service.call(path, get());
      const tag = String(whole.headers.etag);
      const head = await service.call(path, { ...get(), method: 'HEAD' });
      expect([head.status, head.text, head.headers.etag]).toEqual([200, '', tag]);
      expect(head.headers['content-length']).toBe(whole.headers['content-length']);
      const known = await service.call(path, get({ 'if-none-match': tag }));
      expect([known.status, known.text, known.headers.etag]).toEqual([304, '', tag]);
    }
  });

  it('is not sent to a GraphQL client that has it', async () => {
    for (const service of [forgetful, lab]) {
      const { headers } = await service.call(query, get({ accept: 'application/json' }));
      const tag = String(headers.etag);
      const known = await service.call(
        query,
        get({ accept: 'application/json', 'if-none-match': tag }),
      );
      expect([known.status, known.text, known.headers.etag]).toEqual([304, '', tag]);
    }
  });
});

describe('while a reader reads nothing of a large answer', () => {
  it('small answers to the same address are sent', async () => {
    await openStuck(forgetful);
    for (let i = 0; i < 3; i += 1) {
      expect((await forgetful.call('/graphql', SMALL)).status).toBe(200);
    }
  });

  it('answers to other addresses are sent, whatever their size', async () => {
    await openStuck(forgetful);
    const { text } = await forgetful.call('/graphql', askFor(1, KEYS, '203.0.113.2'));
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.unreadBytes);
  });

  it('another answer waits without permit and connection until the reader reads', async () => {
    const { text } = await forgetful.call('/graphql', MIDDLE);
    const stuck = await openStuck(forgetful);
    const waiting = await askAndWait(forgetful, MIDDLE);
    const small = await forgetful.call('/graphql', SMALL);
    expect([small.status, waiting.text]).toEqual([200, null]);
    await readSlowly(stuck);
    expect(lengthOf(stuck.received)).toBe(bodyOf(stuck.received).length);
    await expect.poll(() => waiting.text).toBe(text);
    expect(waiting.status).toBe(200);
  });

  it('another answer, even a larger one, is sent when the reader goes', async () => {
    const { text } = await forgetful.call('/graphql', LARGE);
    const stuck = await openStuck(forgetful);
    const waiting = await askAndWait(forgetful, LARGE);
    stuck.destroy();
    await expect.poll(() => waiting.text === text).toBe(true);
  });

  it('JSON and CSV of REST wait like GraphQL', async () => {
    const stuck = await openStuck(forgetful);
    const from = { headers: { 'x-forwarded-for': '203.0.113.1' } };
    const answers = [{}, { format: 'csv' }].map((more) => {
      const state = { length: 0 };
      void forgetful
        .call(restPath(forgetful, { maxitems: '500', ...more }), from)
        .then(({ status, text }) => {
          state.length = status === 200 ? text.length : -1;
        });
      return state;
    });
    await expect.poll(() => heldBy(forgetful)).toEqual([0, 0]);
    expect(answers.map(({ length }) => length)).toEqual([0, 0]);
    stuck.destroy();
    await expect.poll(() => answers.every(({ length }) => length > 100_000)).toBe(true);
  });

  it('a caller who waits may go, and leaves its turn to the next one', async () => {
    const stuck = await openStuck(forgetful);
    const gone = new AbortController();
    const left = await askAndWait(forgetful, { ...MIDDLE, signal: gone.signal });
    const next = await askAndWait(forgetful, MIDDLE);
    gone.abort();
    await expect.poll(() => left.failed).toBe(true);
    stuck.destroy();
    await expect.poll(() => next.status).toBe(200);
    await expect.poll(() => heldBy(forgetful)).toEqual([0, 0]);
  });
});

it('an answer waits for no longer than the time limit of its request', async () => {
  const brief = await serve({ queryTimeoutSeconds: 2 });
  try {
    await openStuck(brief);
    const waiting = await askAndWait(brief, MIDDLE);
    await expect.poll(() => waiting.text).toContain('Query timed out after 2 seconds');
  } finally {
    for (const connection of open) connection.destroy();
    await brief.close();
  }
});

it('a reader who takes nothing for too long is disconnected, and others are answered', async () => {
  const strict = await serve({ stuckReaderMs: 500 });
  try {
    const stuck = await openStuck(strict);
    const waiting = ask(strict, MIDDLE);
    await expect.poll(() => waiting.status).toBe(200);
    stuck.socket.resume();
    await stuck.closed();
    expect(bodyOf(stuck.received).length).toBeLessThan(lengthOf(stuck.received));
  } finally {
    for (const connection of open) connection.destroy();
    await strict.close();
  }
});
