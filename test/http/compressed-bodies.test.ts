import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import type { HttpAnswer } from '../support/http/http-call.ts';
import { group, startLab } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], settings: { compileAfter: 1 } });
});

afterAll(() => lab.close());

const DOCUMENT = '{ viewer { username } }';

type Target = {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly limit: number;
  /** A part of its good answer. */
  readonly good: string;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const REST = JSON.stringify({ username: ADA.username, api_token: ADA.token, context: CONTEXT });

/** GraphQL is compiled after one request: the second and later ones take the fast path. */
const TARGETS: Readonly<Record<string, Target>> = {
  REST: {
    path: '/api/time_slices/time_slices_request',
    headers: JSON_TYPE,
    body: REST,
    limit: LIMITS.restBodyBytes,
    good: '"context_name":"lab"',
  },
  'a form': {
    path: '/api/time_slices/time_slices_request',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(JSON.parse(REST)).toString(),
    limit: LIMITS.restBodyBytes,
    good: '"context_name":"lab"',
  },
  GraphQL: {
    path: '/graphql',
    headers: { ...basic(ADA), ...JSON_TYPE },
    body: JSON.stringify({ query: DOCUMENT }),
    limit: LIMITS.graphqlBodyBytes,
    good: '{"data":{"viewer":{"username":"ada"}}}',
  },
  'GraphQL on its slow path': {
    path: '/graphql',
    headers: { ...basic(ADA), ...JSON_TYPE, accept: 'application/json;q=0.9' },
    body: JSON.stringify({ query: DOCUMENT }),
    limit: LIMITS.graphqlBodyBytes,
    good: '{"data":{"viewer":{"username":"ada"}}}',
  },
  MCP: {
    path: '/mcp',
    headers: { ...basic(ADA), ...JSON_TYPE, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    limit: LIMITS.graphqlBodyBytes,
    good: '"name":"topper"',
  },
};

describe.each(Object.entries(TARGETS))('a body for %s', (_, target) => {
  const send = (body: Buffer, encoding: string, limitless = target.headers): Promise<HttpAnswer> =>
    lab.call(target.path, {
      method: 'POST',
      headers: { ...limitless, 'content-encoding': encoding },
      body,
    });

  const padded = (bytes: number): Buffer => {
    const space = target.headers['content-type'] === 'application/json' ? ' ' : '&';
    return Buffer.from(target.body.padEnd(bytes, space));
  };

  it.each(['gzip', 'GZIP', 'x-gzip', ' gzip ', 'identity, gzip'])('may be %j', async (name) => {
    for (let i = 0; i < 3; i += 1) {
      const answer = await send(gzipSync(target.body), name);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(target.good)]);
    }
  });

  it.each(['identity', '', 'Identity'])('is read as it is with %j', async (name) => {
    const answer = await send(Buffer.from(target.body), name);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(target.good)]);
  });

  it('may be of two gzip members, and of stored bytes', async () => {
    const half = target.body.length / 2;
    const halves = [target.body.slice(0, half), target.body.slice(half)];
    const members = Buffer.concat(halves.map((each) => gzipSync(each)));
    expect((await send(members, 'gzip')).status).toBe(200);
    const stored = gzipSync(padded(target.limit), { level: constants.Z_NO_COMPRESSION });
    expect(stored.length).toBeGreaterThan(target.limit);
    expect((await send(stored, 'gzip')).status).toBe(200);
  });

  it.each([
    ['br', brotliCompressSync(target.body)],
    ['deflate', deflateSync(target.body)],
    ['zstd', Buffer.from(target.body)],
    ['gzip, gzip', gzipSync(gzipSync(target.body))],
    ['gzip, br', gzipSync(target.body)],
    ['utf-8', Buffer.from(target.body)],
    ['*', Buffer.from(target.body)],
  ])('with the encoding %s is 415, and the answer says what to use', async (name, body) => {
    const { status, text, headers } = await send(body, name);
    expect(status).toBe(415);
    expect(headers['accept-encoding']).toBe('gzip');
    expect(text).toContain(
      `Content encoding ${name} is not supported, send the body as it is or as gzip`,
    );
  });

  it('of exactly the limit is read, of one byte more is 413', async () => {
    expect((await send(gzipSync(padded(target.limit)), 'gzip')).status).toBe(200);
    const { status, text } = await send(gzipSync(padded(target.limit + 1)), 'gzip');
    expect(status).toBe(413);
    expect(text).toContain(`The request body must be at most ${target.limit} bytes`);
  });

  it('that would become a thousand times as large is 413', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(target.limit * 4);
    for (const body of [bomb, bomb.subarray(0, 1_000)]) {
      expect((await send(body, 'gzip')).status).toBe(413);
    }
  });

  it('of compressed bytes beyond the limit is 413 before it is read', async () => {
    const noise = gzipSync(randomBytes(target.limit + 2_048));
    expect((await send(noise, 'gzip')).status).toBe(413);
  });

  const zipped = gzipSync(target.body);
  it.each([
    ['is plain', Buffer.from(target.body)],
    ['is cut off', zipped.subarray(0, -3)],
    ['has only a header', zipped.subarray(0, 10)],
    ['has only half a header', zipped.subarray(0, 4)],
    ['has a wrong checksum', Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])],
    ['is followed by something else', Buffer.concat([zipped, Buffer.from('more')])],
    ['is deflate', deflateSync(target.body)],
  ])('that %s is 400', async (_what, body) => {
    const { status, text } = await send(body, 'gzip');
    expect(status).toBe(400);
    expect(text).toContain(
      'The request body could not be read - it is not gzip, as its Content-Encoding says, or was damaged or cut off',
    );
  });
});

it('a GET, and an empty body, may name any encoding', async () => {
  const headers = { ...basic(ADA), 'content-encoding': 'br' };
  const query = encodeURIComponent(DOCUMENT);
  expect((await lab.call(`/graphql?query=${query}`, { headers })).status).toBe(200);
  const how = { method: 'POST', headers: { 'content-encoding': 'gzip' } };
  expect((await lab.call(`/api/time_slices/time_slices_request?${restQuery}`, how)).status).toBe(
    200,
  );
});

const restQuery = new URLSearchParams(JSON.parse(REST)).toString();
