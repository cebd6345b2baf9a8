import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import type { HttpCall } from '../../support/http/http-call.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const ORIGIN = 'https://noc.example.com';
const SLICES = '/api/time_slices/time_slices_request';
const AT_ONCE = 2;

let lab: TestService;
let held: { release(): Promise<void> };
let asked: Promise<unknown>[];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    settings: {
      answerCacheBytes: 0,
      responseCacheBytes: 0,
      maxConcurrent: AT_ONCE,
      corsOrigins: [ORIGIN],
      // At level debug, each request is logged, and none takes the short path.
      logLevel: 'info',
    },
  });
});

afterAll(() => lab.close());

beforeEach(async () => {
  lab.emptyCaches();
  held = await holdTables(lab.databaseUrl, ['users']);
  const path = `${SLICES}?context=lab&username=ada&api_token=ada-token`;
  asked = Array.from({ length: AT_ONCE }, () => lab.call(path));
  while ((await countWaiting(lab.databaseUrl)) < AT_ONCE) await delay(5);
});

afterEach(async () => {
  await held.release();
  await Promise.all(asked);
  expect((await lab.call('/metrics')).text).toContain('countergraph_requests_at_work 0');
});

/** The parts of an answer that do not differ from one to the next. */
async function refusalOf(path: string, how: HttpCall) {
  const { status, headers, text } = await lab.call(path, how);
  const { date, 'x-request-id': requestId, ...others } = headers;
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  expect(date).toMatch(/GMT$/);
  return { status, headers: others, text };
}

const json = (body: string, headers: Readonly<Record<string, string>> = {}): HttpCall => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
});

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

describe('a request beyond capacity', () => {
  it.each<[string, string, HttpCall, object]>([
    ['REST by GET', `${SLICES}?context=lab`, {}, {}],
    ['REST by POST', SLICES, json('{"context":"lab"}'), {}],
    ['GraphQL', '/graphql', json('{"query":"{__typename}"}'), {}],
    [
      'GraphQL with its own media type',
      '/graphql',
      json('{"query":"{__typename}"}', { accept: GRAPHQL_RESPONSE }),
      { 'content-type': `${GRAPHQL_RESPONSE}; charset=utf-8` },
    ],
    [
      'from another origin',
      SLICES,
      { headers: { origin: ORIGIN } },
      { 'access-control-allow-origin': ORIGIN },
    ],
    ['with a body of 200 KB', '/graphql', json(JSON.stringify({ query: 'x'.repeat(200_000) })), {}],
    [
      'with a body that is too long',
      '/graphql',
      json(JSON.stringify({ query: 'x'.repeat(900_000) })),
      {},
    ],
  ])(
    'is refused with the same response by the short and the full path (%s)',
    async (_, path, how, also) => {
      const atOnce = await refusalOf(path, how);
      expect(atOnce.status).toBe(503);
      expect(atOnce.headers).toMatchObject({
        'retry-after': '1',
        'cache-control': 'no-store',
        vary: 'Origin',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json; charset=utf-8',
        ...also,
      });
      // A doubled slash makes the request take the full path.
      expect(await refusalOf(`/${path}`, how)).toEqual(atOnce);
    },
  );

  it('is counted as by the full path', async () => {
    const counts = async () => {
      const { text } = await lab.call('/metrics');
      const lines = text.matchAll(
        /^(countergraph_(?:errors_total\{kind="busy"|refused_requests_total\{why="total"|http_request_seconds_count\{route="[^"]+",status="503")\}) (\d+)$/gm,
      );
      return new Map([...lines].map(([, name, count]) => [name, Number(count)]));
    };
    const added = async (path: string) => {
      const before = await counts();
      await lab.call(path);
      await delay(50);
      const after = await counts();
      return [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]);
    };
    await lab.call(SLICES);
    const atOnce = await added(SLICES);
    expect(atOnce.filter(([, count]) => count === 1)).toHaveLength(3);
    expect(await added(`/${SLICES}`)).toEqual(atOnce);
  });

  it('is refused only after its body is read, if its connection ends with it', async () => {
    const { hostname, port } = new URL(lab.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const failures: Error[] = [];
    socket.on('error', (error) => failures.push(error));
    const lines = ['host: lab', 'connection: close', 'content-length: 200000'];
    socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const answer = text(socket);
    for (let part = 0; part < 4; part += 1) {
      await delay(20);
      socket.write('x'.repeat(50_000));
    }
    expect(await answer).toMatch(/^HTTP\/1.1 503 /);
    // A client that is still writing gets no connection reset.
    expect(failures).toEqual([]);
    socket.end();
  });

  it('is never one for health or metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await lab.call(path)).status).toBe(200);
    }
  });
});
