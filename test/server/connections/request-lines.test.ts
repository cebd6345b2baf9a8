import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../domain/errors.ts';
import { RawConnection, statusOf } from '../../support/http/raw-connection.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    // The server waits no longer than this for the rest of an incomplete request.
    settings: { corsOrigins: ['https://a.example'], slowCallerSeconds: 0.5 },
  });
});

afterAll(() => lab.close());

/** What the server sends for these bytes until it closes the connection. */
async function exchange(bytes: string): Promise<string> {
  const connection = await RawConnection.open(lab.url);
  connection.write(bytes);
  await connection.closed();
  return connection.received;
}

const requestFor = (target: string, headers = '', method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;

const ask = (target: string, headers = '', method = 'GET'): Promise<string> =>
  exchange(requestFor(target, headers, method));

const STATUSES: ReadonlySet<number> = new Set(Object.values(ERRORS).map(({ status }) => status));

/** No answer, a status below 500, or a 5xx from the table of errors other than `internal`. */
function expectSound(received: string): void {
  const status = statusOf(received);
  expect(received).not.toContain(ERRORS.internal.message);
  if (status !== null && status >= 500) expect(STATUSES).toContain(status);
}

/** Sent concurrently: some requests are incomplete, and only a timeout ends them. */
const manyOf = <T>(request: fc.Arbitrary<T>) => fc.array(request, { minLength: 30, maxLength: 30 });

const SLICES = '/api/time_slices/time_slices_request';
const CREDENTIALS = 'username=ada&api_token=ada-token&context=lab';

describe('a request line', () => {
  it.each([
    [
      'with an absolute URL, as clients send it to proxies',
      `http://a.example:1${SLICES}?${CREDENTIALS}`,
      200,
    ],
    ['with an absolute URL in another case', `HTTPS://A.example${SLICES}?${CREDENTIALS}`, 200],
    ['with an absolute URL for GraphQL', 'http://a.example/graphql?query={__typename}', 200],
    ['with two slashes before the path of GraphQL', '//graphql?query={__typename}', 200],
    ['with an absolute URL without a path', 'http://a.example', 200],
    ['with an absolute URL that has a query but no path', 'http://a.example?query=x', 200],
    ['with two slashes before the path of REST', `//${SLICES}?${CREDENTIALS}`, 200],
    ['with dot segments that lead to a path that a proxy may block', '/x/../metrics', 404],
    ['with such dot segments, percent-encoded', '/x/%2e%2E/metrics', 404],
    ['with two slashes before a path that a proxy may block', '//metrics', 404],
    ['with what looks like a host', '//evil.example/healthz', 404],
    ['with a backslash', '/\\evil.example', 404],
    ['with a NUL in the path', '/%00', 404],
    ['with a NUL in a value', `${SLICES}?${CREDENTIALS}%00`, 422],
    ['with percent signs that no digits follow', `${SLICES}?${CREDENTIALS}&x=%zz%`, 200],
    ['with such percent signs in the path', '/%zz%', 404],
    ['with an encoded surrogate', `${SLICES}?${CREDENTIALS}%ED%A0%80`, 422],
    ['with dot segments', `/x/../api/./time_slices/time_slices_request?${CREDENTIALS}`, 200],
    ['with dot segments that lead above the root', '/../../etc/passwd', 404],
    [
      'with encoded dot segments in the path of an asset',
      '/graphql/assets/%2e%2e%2f%2e%2e%2fpackage.json',
      404,
    ],
    ['with a fragment', '/healthz#x', 200],
    ['with an asterisk', '*', 200],
    ['without a slash', 'healthz', 400],
    ['with a query of 20 kB', `${SLICES}?${CREDENTIALS}&key_filter=${'x'.repeat(20_000)}`, 200],
    [
      'with a GraphQL query string of 20 kB',
      `/graphql?query={__typename}&x=${'x'.repeat(20_000)}`,
      200,
    ],
    ['with a query of 40 kB', `${SLICES}?${'x'.repeat(40_000)}`, 431],
    ['with 4000 parameters', `${SLICES}?${CREDENTIALS}&${'a=1&'.repeat(4_000)}`, 200],
  ])('%s is answered', async (_, target, status) => {
    const received = await ask(target);
    expect(statusOf(received)).toBe(status);
    expectSound(received);
  });

  it.each(['TRACE', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'CONNECT', 'QUERY', 'BREW'])(
    'of method %s gets a status below 500, or no answer',
    async (method) => {
      for (const target of [SLICES, '/graphql', '/healthz', '*', 'x.example:443']) {
        const received = await ask(target, '', method);
        expectSound(received);
        expect(statusOf(received) ?? 0).toBeLessThan(500);
      }
    },
  );

  it('of any bytes causes neither a crash nor an internal error', async () => {
    const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
    const piece = fc.constantFrom('/', '?', '%', '&', '=', '..', '\\', '%00', '[', ':', '@', 'x');
    const target = fc
      .array(fc.oneof(byte, piece), { maxLength: 40 })
      .map((parts) => parts.join('').replaceAll(/[\r\n]/g, ''));
    const start = fc.constantFrom('', '/', `${SLICES}?`, '/graphql?query=', 'http://', '//');
    await fc.assert(
      fc.asyncProperty(manyOf(fc.tuple(start, target)), async (requests) => {
        const answers = await Promise.all(requests.map(([before, rest]) => ask(before + rest)));
        for (const answer of answers) expectSound(answer);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 10) },
    );
    expect((await lab.call('/healthz')).status).toBe(200);
  });
});

describe('headers', () => {
  const authorization = basic(ADA)['authorization'];
  const wrong = basic({ ...ADA, token: 'x' })['authorization'];
  const viewer = '/graphql?query={viewer{username}}';

  it.each([
    [
      'a second authorization, the first counts',
      `authorization: ${authorization}\r\nauthorization: ${wrong}\r\n`,
      200,
    ],
    [
      'the username twice',
      'authorization: Bearer ada-token\r\nx-username: ada\r\nx-username: ada\r\n',
      401,
    ],
    ['bytes that are not text', `authorization: Bearer \xff\xfe\r\nx-username: \x80\r\n`, 401],
    [
      'a list of proxies',
      `x-forwarded-for: ${'1.2.3.4,'.repeat(500)}\r\nauthorization: ${authorization}\r\n`,
      200,
    ],
    [
      'two origins',
      `origin: https://a.example\r\norigin: x\r\nauthorization: ${authorization}\r\n`,
      200,
    ],
    ['a content encoding', `content-encoding: gzip\r\nauthorization: ${authorization}\r\n`, 200],
    [
      'an upgrade that is not offered',
      `upgrade: websocket\r\nauthorization: ${authorization}\r\n`,
      200,
    ],
    ['a thousand lines', `${'x-a: b\r\n'.repeat(1_000)}authorization: ${authorization}\r\n`, 200],
  ])('with %s are answered', async (_, headers, status) => {
    const received = await ask(viewer, headers);
    expectSound(received);
    expect(statusOf(received)).toBe(status);
  });

  it.each([
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'],
    [
      'two content lengths',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
    ],
    [
      'an invalid content length',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    ],
    [
      'both a content length and chunks',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'invalid chunks',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a NUL', 'GET /healthz HTTP/1.1\r\nhost: x\r\nx: \0\r\n\r\n'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: close\r\n\r\n'],
    ['two hosts in HTTP/1.0', 'GET /healthz HTTP/1.0\r\nhost: x\r\nhost: x\r\n\r\n'],
    ['no colon', 'GET /healthz HTTP/1.1\r\nhost\r\n\r\n'],
    ['a name with a space', 'GET /healthz HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a bare line feed', 'GET /healthz HTTP/1.1\r\nhost: x\nx: y\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['another version', 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n'],
  ])('with %s get 400', async (_, bytes) => {
    expect(statusOf(await exchange(bytes))).toBe(400);
  });

  it.each(['[', '', '%', 'a b', ':', 'x:99999', 'a/b?c#d', '[::1', '\xff', '@', 'http://x'])(
    'with the host %j are answered: nothing depends on it',
    async (host) => {
      const head = (target: string, method: string) =>
        `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n`;
      const type = 'content-type: application/json\r\ncontent-length: 25\r\n';
      for (const bytes of [
        `${head('/healthz', 'GET')}\r\n`,
        `${head('/graphql?query={__typename}', 'GET')}\r\n`,
        `${head('/graphql', 'POST')}${type}\r\n{"query":"{__typename}"} `,
      ]) {
        expect(statusOf(await exchange(bytes))).toBe(200);
      }
    },
  );

  it.each([
    '/healthz',
    '/metrics',
    '/nothing',
    '/',
    '/graphql?query={__typename}',
    '/mcp',
    '//evil.example/x',
    'http://x/healthz',
    '*',
    `${SLICES}?${CREDENTIALS}`,
  ])('with two hosts get 400 at %s, whatever their values and the method', async (target) => {
    const hosts: readonly (readonly [string, string])[] = [
      ['x', 'x'],
      ['x', 'y'],
      ['', ''],
      ['x', ''],
      ['[', 'x'],
    ];
    for (const [first, second] of hosts) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const origin =
          'origin: https://a.example\r\naccess-control-request-method: POST\r\nconnection: close\r\n';
        const received = await exchange(
          `${method} ${target} HTTP/1.1\r\nHost: ${first}\r\nx: y\r\nhOST: ${second}\r\n${origin}\r\n`,
        );
        expect(statusOf(received)).toBe(400);
        expect(received).toContain('The request must have one Host header, got 2');
      }
    }
  });

  it('with two hosts get 400 between others on a connection that is kept', async () => {
    const connection = await RawConnection.open(lab.url);
    const hosts = ['host: x', 'host: x\r\nhost: x', 'host: x', 'host: x\r\nx: y\r\nHost: z'];
    for (const host of hosts) connection.write(`GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`);
    connection.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await connection.closed();
    const statuses = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, each]) => each);
    expect(statuses).toEqual(['200', '400', '200', '400', '200']);
  });

  it('over the limit get 431 in the usual error format', async () => {
    const received = await ask('/healthz', `x: ${'y'.repeat(40_000)}\r\n`);
    expect(statusOf(received)).toBe(431);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({
      status: 'ERROR',
      message: 'The address and headers must be at most 32768 bytes, send long parameters by POST',
    });
    expect(head).toContain(`\r\ncontent-length: ${body.length}`);
    expect(head).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/);
    const [, id = 'no id'] = /x-request-id: (\S+)/.exec(head) ?? [];
    expect(lab.logText()).toContain(id);
  });

  it('that cannot be parsed get an error in that format too', async () => {
    const received = await exchange('GET /healthz HTTP/1.1\r\nhost\r\n\r\n');
    expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toEqual({
      status: 'ERROR',
      message: ERRORS.notHttp.message,
    });
  });

  it('of any bytes cause neither a crash nor an internal error', async () => {
    const name = fc.constantFrom(
      'host',
      'authorization',
      'x-username',
      'accept',
      'origin',
      'content-type',
      'cookie',
      'content-length',
      'transfer-encoding',
      'connection',
      'expect',
      'x-forwarded-for',
      'sec-fetch-site',
      'accept-encoding',
      'upgrade',
      'range',
      'if-none-match',
      'x-a',
    );
    const value = fc
      .array(fc.integer({ min: 0, max: 255 }), { maxLength: 20 })
      .map((codes) => String.fromCharCode(...codes).replaceAll(/[\r\n]/g, ''));
    const words = fc.constantFrom('Basic ', 'Bearer ', 'text/html', 'chunked', 'close', '[', '1');
    const line = fc.tuple(name, fc.oneof(value, words)).map(([key, text]) => `${key}: ${text}\r\n`);
    const lines = fc.array(line, { maxLength: 6 }).map((each) => each.join(''));
    const target = fc.constantFrom('/graphql?query={__typename}', SLICES, '/graphql', '/metrics');
    const method = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(manyOf(fc.tuple(target, lines, method)), async (requests) => {
        const answers = await Promise.all(requests.map((request) => ask(...request)));
        for (const answer of answers) expectSound(answer);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 10) },
    );
    expect((await lab.call('/healthz')).status).toBe(200);
  });
});
