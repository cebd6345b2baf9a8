import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { openStream } from '../support/http/event-stream.ts';
import { type HttpAnswer, type HttpCall, httpCall } from '../support/http/http-call.ts';
import { RawConnection, statusOf } from '../support/http/raw-connection.ts';
import { bearer } from '../support/http/rest-with-headers.ts';
import { setRole } from '../support/lab/editing-lab.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../support/lab/service.ts';
import { connLog } from '../support/lab/upload-lab.ts';
import type { Nginx } from '../support/programs/nginx.ts';
import { OTHERS, startProxy, WRITTEN } from './documented-nginx.ts';

const GROUP = guidOf(1);

/** An address where nothing listens. */
const NOBODY = '127.0.0.1:1';

const ERROR_LOG = '  error_log /dev/null;\n';

it('the page has one configuration of nginx, with the same limits as the service', () => {
  expect(OTHERS).toEqual([]);
  const { graphqlBodyBytes, headerBytes, keepAliveSeconds } = LIMITS;
  const bodyKb = /client_max_body_size (\d+)k;/.exec(WRITTEN)?.[1];
  expect(Number(bodyKb) * 1024).toBe(graphqlBodyBytes);
  expect(WRITTEN).toContain(`The request body must be at most ${graphqlBodyBytes} bytes`);
  const headerKb = /large_client_header_buffers 4 (\d+)k;/.exec(WRITTEN)?.[1];
  expect(Number(headerKb) * 1024).toBe(headerBytes);
  expect(WRITTEN).toContain(`must be at most ${headerBytes} bytes, send long parameters by POST`);
  const readSeconds = /proxy_read_timeout (\d+)s;/.exec(WRITTEN)?.[1];
  expect(WRITTEN).toContain(`Query timed out after ${readSeconds} seconds`);
  const idleSeconds = /keepalive_timeout (\d+)s;/.exec(WRITTEN)?.[1];
  expect(Number(idleSeconds)).toBeLessThan(keepAliveSeconds);
});

/** Starts an upstream that accepts connections and never answers. */
async function startSilent(): Promise<{ server: Server; address: string }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { server, address: `127.0.0.1:${address.port}` };
}

const TOKEN = ADA.token;

const topper = (parameters: Readonly<Record<string, string | number>> = {}): string =>
  `/api/topper/topper_request?${new URLSearchParams({
    username: ADA.username,
    api_token: TOKEN,
    context: CONTEXT,
    counter_group: GROUP,
    window_fromts: String(T0),
    window_seconds: '60',
    maxitems: '1000',
    ...Object.fromEntries(Object.entries(parameters).map(([k, v]) => [k, String(v)])),
  })}`;

describe('behind nginx as in docs/how-to/deploy.md', () => {
  let lab: TestService;
  let proxy: Nginx;

  beforeAll(async () => {
    lab = await startLab({
      groups: [group(1)],
      lines: Array.from({ length: 1000 }, (_, i) => ({
        group: GROUP,
        key: `key ${i}`,
        ts: T0,
        values: { 0: 1000 - i },
      })),
      settings: { trustProxy: ['127.0.0.1'] },
    });
    proxy = await startProxy(new URL(lab.url).host);
  });

  afterAll(async () => {
    await proxy.stop();
    await lab.close();
  });

  const call = (path: string, how: HttpCall = {}): Promise<HttpAnswer> =>
    httpCall(proxy.url + path, how);

  const graphql = (query: string, headers = {}): Promise<HttpAnswer> =>
    call('/graphql', {
      method: 'POST',
      headers: { ...basic(ADA), 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });

  it('answers equal those of the service, and carry the id of the request', async () => {
    const answer = await call(topper());
    const direct = await lab.call(topper());
    expect(answer.status).toBe(200);
    expect(answer.text === direct.text).toBe(true);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    const without = topper().replace(/username=ada&api_token=ada-token&/, '');
    for (const headers of [basic(ADA), bearer(ADA)]) {
      expect((await call(without, { headers })).text === direct.text).toBe(true);
    }
    expect((await call(without)).headers['www-authenticate']).toBe('Bearer');
    const { text } = await graphql('{ viewer { username } }');
    expect(JSON.parse(text)).toEqual({ data: { viewer: { username: 'ada' } } });
  });

  it.each([
    ['REST', {}],
    ['CSV', { format: 'csv' }],
  ])('%s is compressed for clients that accept it, and has its tag', async (_, parameters) => {
    const direct = await lab.call(topper(parameters));
    const path = topper(parameters);
    const { status, headers, body } = await zipped(proxy.url + path);
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(gunzipSync(body).toString() === direct.text).toBe(true);
    expect(body.length * 3).toBeLessThan(direct.text.length);
    expect(headers.vary).toMatch(/Accept-Encoding/);
    const tag = headers.etag ?? '';
    expect(tag).not.toBe(direct.headers.etag);
    const asked = { 'accept-encoding': 'gzip', 'if-none-match': tag };
    const again = await call(path, { headers: asked });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('an upload of any size passes as it arrives, and its answer is that of the service', async () => {
    await setRole(lab, 'editor');
    const body = connLog(1) + '#\n'.repeat(LIMITS.graphqlBodyBytes);
    const path = `/upload?context=${CONTEXT}&format=zeek&name=conn.log`;
    const answer = await call(path, { method: 'POST', headers: basic(ADA), body });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      200,
      { source: 'conn.log', records: 1 },
    ]);
    const again = await call(path, { method: 'POST', headers: basic(ADA), body });
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('conn.log: its content'),
    ]);
  });

  it('GraphQL is compressed too, except for short answers', async () => {
    const query = `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
      topper(window: { interval: { from: ${T0}, to: ${T0 + 60} } }, maxItems: 1000) {
        keys { key metric } } } } }`;
    const encoding = { 'accept-encoding': 'gzip' };
    expect((await graphql(query, encoding)).headers['content-encoding']).toBe('gzip');
    const accept = 'application/graphql-response+json';
    const modern = await graphql(query, { ...encoding, accept });
    expect(modern.headers['content-encoding']).toBe('gzip');
    const short = await graphql('{ viewer { username } }', encoding);
    expect(short.headers['content-encoding']).toBeUndefined();
  });

  it('a subscription is answered at once, and again after each commit', async () => {
    const stream = await openStream(proxy.url, SUBSCRIPTION);
    try {
      expect(stream.headers['content-type']).toBe('text/event-stream');
      const { total } = (await stream.answer<Followed>()).topper;
      for (const more of [1, 2]) {
        await countOne(lab);
        expect((await stream.answer<Followed>()).topper.total).toBe(total + more);
      }
    } finally {
      stream.close();
    }
    // The proxy tells the service that its caller has gone.
    while (!(await lab.call('/metrics')).text.includes('countergraph_subscriptions_open 0')) {
      await delay(10);
    }
  });

  it('many subscriptions share a connection in HTTP/2', async () => {
    const modern = await startProxy(new URL(lab.url).host, [], ' http2');
    const session = connect(modern.url);
    try {
      const streams = Array.from({ length: 20 }, () => followByHttp2(session));
      await Promise.all(streams.map((stream) => stream.untilMessages(1)));
      await countOne(lab);
      const texts = await Promise.all(streams.map((stream) => stream.untilMessages(2)));
      expect(new Set(texts.map((text) => text.replaceAll(/^:\n\n/gm, ''))).size).toBe(1);
    } finally {
      session.destroy();
      await modern.stop();
    }
  });

  it.each(['metrics', 'readyz', 'healthz'])('/%s is not accessible from outside', async (name) => {
    expect((await lab.call(`/${name}`)).status).toBe(200);
    expectError(await call(`/${name}`), 404, 'There is nothing at this address');
  });

  it('a body that is too large is 413, in the format of REST or GraphQL', async () => {
    const message = 'The request body must be at most 262144 bytes';
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...basic(ADA) };
    const body = 'x'.repeat(LIMITS.graphqlBodyBytes + 1);
    expectError(await call(PATH, { method: 'POST', headers, body }), 413, message);
    const json = { ...headers, 'content-type': 'application/json' };
    const answer = await call('/graphql', { method: 'POST', headers: json, body });
    expectGraphQLError(answer, 413, { message, extensions: { code: 'LIMIT' } });
    // The proxy lets this through, but the service has a lower limit for REST.
    const smaller = { method: 'POST', headers, body: body.slice(0, 100_000) };
    expectError(await call(PATH, smaller), 413, 'The request body must be at most 65536 bytes');
  });

  it('a body that is too large is 413 in JSON over HTTP/2, too', async () => {
    const modern = await startProxy(new URL(lab.url).host, [], ' http2');
    const session = connect(modern.url);
    try {
      const size = LIMITS.graphqlBodyBytes + 1;
      const stream = session.request({
        ...basic(ADA),
        ':method': 'POST',
        ':path': '/graphql',
        'content-length': size,
      });
      stream.end('x'.repeat(size));
      const [headers] = await once(stream, 'response');
      expect(headers).toMatchObject({
        ':status': 413,
        'content-type': 'application/json; charset=utf-8',
      });
      const message = 'The request body must be at most 262144 bytes';
      expect(JSON.parse(String(await buffer(stream)))).toEqual({
        errors: [{ message, extensions: { code: 'LIMIT' } }],
      });
    } finally {
      session.destroy();
      await modern.stop();
    }
  });

  it('a long address passes, and one beyond the limit of the service is 431', async () => {
    expect((await call(topper({ key_filter: 'k'.repeat(10_000) }))).status).toBe(200);
    const message =
      'The address and headers must be at most 32768 bytes, send long parameters by POST';
    expectError(await call(topper({ key_filter: 'k'.repeat(40_000) })), 431, message);
    const headers = { 'x-long': 'x'.repeat(40_000) };
    expectGraphQLError(await call('/graphql', { headers }), 431, {
      message,
      extensions: { code: 'LIMIT' },
    });
  });

  it.each([
    ['TRACE /graphql', 'host: a', 405, 'This method is not allowed, use GET, HEAD or POST'],
    ['GET /graphql', 'x: y', 400, 'The request must be HTTP/1.1, and could not be parsed as such'],
  ])('%s with %s is %i in JSON', async (line, header, status, message) => {
    const connection = await RawConnection.open(proxy.url);
    connection.write(`${line} HTTP/1.1\r\n${header}\r\nconnection: close\r\n\r\n`);
    await connection.closed();
    expect(statusOf(connection.received)).toBe(status);
    const [, body = ''] = connection.received.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('logs no token, whatever the outcome of the request', async () => {
    const log = await proxy.logText();
    expect(log).toContain('GET /api/topper/topper_request 200 ');
    expect(log).toContain('POST /graphql 413 ');
    expect(log).not.toContain(TOKEN);
    expect(log).not.toContain('api_token');
    expect(log).not.toContain(btoa('ada:ada-token'));
    expect(log).toContain('GET /api/topper/topper_request 431 ');
  });
});

const SUBSCRIPTION = `subscription { topper(context: "${CONTEXT}", counterGroup: "${GROUP}",
  window: { preset: ALL_AVAILABLE }) { total } }`;

type Followed = { readonly topper: { readonly total: number } };

const countOne = (lab: TestService): Promise<void> =>
  lab.importSamples([{ group: GROUP, key: 'another', ts: T0, values: { 0: 1 } }]);

/** Opens a subscription as a stream of an HTTP/2 connection. */
function followByHttp2(session: ClientHttp2Session) {
  const stream = session.request({
    ...basic(ADA),
    ':method': 'POST',
    ':path': '/graphql',
    accept: 'text/event-stream',
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify({ query: SUBSCRIPTION }));
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    async untilMessages(count: number): Promise<string> {
      while (text.split('event: next').length <= count) await once(stream, 'data');
      return text;
    },
  };
}

describe('if the service cannot be reached', () => {
  const outage = { message: 'The proxy cannot reach the service, try again' };

  it('the answer is 502 in the format of REST or GraphQL, and no log has the token', async () => {
    const proxy = await startProxy(NOBODY);
    try {
      const answer = await httpCall(proxy.url + topper());
      expectError(answer, 502, outage.message);
      const asked = await httpCall(`${proxy.url}/graphql?query={__typename}`);
      expectGraphQLError(asked, 502, { ...outage, extensions: { code: 'BACKEND' } });
      const log = await proxy.logText();
      expect(log).toMatch(
        /GET \/api\/topper\/topper_request 502 [\d.]+ [0-9a-f]{32} upstream=502 /,
      );
      expect(log).not.toContain(TOKEN);
    } finally {
      await proxy.stop();
    }
  });

  it('the answer is 504 if the service is silent, and no log has the token', async () => {
    const silent = await startSilent();
    const brief = ['proxy_read_timeout 75s;', 'proxy_read_timeout 50ms;'] as const;
    const proxy = await startProxy(silent.address, [brief]);
    try {
      const message = 'Query timed out after 75 seconds';
      expectError(await httpCall(proxy.url + topper()), 504, message);
      const asked = await httpCall(`${proxy.url}/graphql?query={__typename}`);
      expectGraphQLError(asked, 504, { message, extensions: { code: 'TIMEOUT' } });
      const log = await proxy.logText();
      expect(log).toContain('GET /api/topper/topper_request 504 ');
      expect(log).not.toContain(TOKEN);
    } finally {
      await proxy.stop();
      silent.server.close();
    }
  });

  it('without the error_log line the token would be logged', async () => {
    const proxy = await startProxy(NOBODY, [[ERROR_LOG, '']]);
    try {
      await httpCall(proxy.url + topper());
      expect(await proxy.logText()).toContain(`api_token=${TOKEN}`);
      // As the page says, these lines do not contain headers.
      const before = (await proxy.logText()).length;
      const path = topper().replace(/username=ada&api_token=ada-token&/, '');
      expect((await httpCall(proxy.url + path, { headers: bearer(ADA) })).status).toBe(502);
      const written = (await proxy.logText()).slice(before);
      expect(written).toContain('connect() failed');
      expect(written).not.toContain(TOKEN);
    } finally {
      await proxy.stop();
    }
  });
});

const PATH = '/api/topper/topper_request';

const TYPE = 'application/json; charset=utf-8';

function expectError(
  { status, headers, text }: HttpAnswer,
  expected: number,
  message: string,
): void {
  expect([status, headers['content-type'], JSON.parse(text)]).toEqual([
    expected,
    TYPE,
    { status: 'ERROR', message },
  ]);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
}

function expectGraphQLError(
  { status, headers, text }: HttpAnswer,
  expected: number,
  error: object,
): void {
  expect([status, headers['content-type'], JSON.parse(text)]).toEqual([
    expected,
    TYPE,
    { errors: [error] },
  ]);
}

/** Accepts gzip, and returns the body as received. */
async function zipped(url: string) {
  const sent = request(url, { headers: { 'accept-encoding': 'gzip' } });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, headers, body: await buffer(response) };
}
