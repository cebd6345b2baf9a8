import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../support/database/held-tables.ts';
import { bearerOf, connectMcp } from '../support/http/mcp-client.ts';
import { post } from '../support/http/rest-parameters.ts';
import { ADA, basic, startTestService, type TestService } from '../support/lab/service.ts';
import { CONTEXT, startMcpLab, WINDOW } from './mcp-lab.ts';

const ORIGIN = 'https://noc.example';

let lab: TestService;

beforeAll(async () => {
  lab = await startMcpLab({ settings: { corsOrigins: [ORIGIN], graphqlBodyBytes: 2000 } });
});

afterAll(() => lab.close());

type Headers = Readonly<Record<string, string>>;

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

const callOf = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

async function send(message: unknown, headers: Headers = bearerOf(ADA), at = lab) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const sent = post('application/json', body);
  const answer = await at.call('/mcp', {
    ...sent,
    headers: Object.assign({}, sent.headers, headers),
  });
  return { ...answer, body: answer.text === '' ? null : JSON.parse(answer.text) };
}

const refusal = (code: number, message: unknown) => ({
  jsonrpc: '2.0',
  error: expect.objectContaining({ code, message }),
  id: null,
});

describe('credentials', () => {
  it('are those of GraphQL: Bearer with x-username, or Basic', async () => {
    for (const headers of [bearerOf(ADA), basic(ADA)]) {
      const { status, body } = await send(PING, headers);
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
    }
  });

  it.each<[string, Headers]>([
    ['none', {}],
    ['a wrong token', bearerOf({ username: 'ada', token: 'x' })],
    ['no username', { authorization: 'Bearer ada-token' }],
    ['an unknown user', bearerOf({ username: 'eve', token: 'ada-token' })],
  ])('%s: 401 with WWW-Authenticate: Bearer, whatever the message is', async (_, headers) => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const message of [PING, note, callOf('list_contexts')]) {
      const { status, body, headers: given } = await send(message, headers);
      expect(status).toBe(401);
      expect(given['www-authenticate']).toBe('Bearer');
      expect(body).toEqual(refusal(-32_000, 'Invalid API token'));
    }
  });

  it('are not read from the URL', async () => {
    const sent = post('application/json', JSON.stringify(PING));
    const answer = await lab.call('/mcp?username=ada&api_token=ada-token', sent);
    expect(answer.status).toBe(401);
  });
});

describe('the transport', () => {
  it.each(['GET', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'])(
    'refuses %s: there are no sessions',
    async (method) => {
      const { status, headers } = await lab.call('/mcp', { method, headers: bearerOf(ADA) });
      expect([status, headers['allow']]).toEqual([405, 'POST']);
    },
  );

  it('answers a request with JSON, and without a session', async () => {
    const { status, headers } = await send(PING);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-request-id']).toMatch(/./);
    expect(headers['mcp-session-id']).toBeUndefined();
  });

  it('answers a notification with 202 and no body', async () => {
    const { status, text } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });

  it.each<[number, number, unknown, unknown]>([
    [400, -32_700, '{', 'The request body could not be read - it is not JSON'],
    [
      400,
      -32_600,
      [PING],
      'The request body must be one message, this version of the protocol has no batches',
    ],
    [
      413,
      -32_000,
      { ...PING, more: 'x'.repeat(2000) },
      'The request body must be at most 2000 bytes',
    ],
  ])('refuses a body with %i and %i', async (expected, code, sent, message) => {
    const { status, body } = await send(sent);
    expect([status, body]).toEqual([expected, refusal(code, message)]);
  });

  it('refuses what is not a JSON-RPC message', async () => {
    for (const sent of [7, {}, { id: 1, method: 'ping' }]) {
      const { status, body } = await send(sent);
      expect(status).toBe(400);
      expect(body.error.code).toBeLessThan(-32_000);
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'refuses %s, which a form on any site could send',
    async (type) => {
      const { status, body } = await send(PING, { ...bearerOf(ADA), 'content-type': type });
      expect([status, body]).toEqual([
        415,
        refusal(-32_000, `Content type ${type} is not supported, use application/json`),
      ]);
    },
  );

  it.each([
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset="UTF-8"', 200],
    ['Application/JSON;charset=utf8', 200],
  ])('reads UTF-8 only: %s is answered with %d', async (type, expected) => {
    const { status, body } = await send(PING, { ...bearerOf(ADA), 'content-type': type });
    expect(status).toBe(expected);
    if (expected === 415) {
      expect(body).toEqual(
        refusal(-32_000, `Content type ${type} is not supported, use application/json`),
      );
    }
  });

  it('supports three revisions of the protocol, and says which', async () => {
    const initialize = (protocolVersion: string) =>
      send({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      });
    for (const version of ['2025-06-18', '2025-11-25']) {
      const { body } = await initialize(version);
      expect(body.result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'countergraph' },
        instructions: expect.stringContaining('list_contexts'),
      });
    }
    // Older revisions have batches.
    expect((await initialize('2025-03-26')).body.result.protocolVersion).toBe('2025-11-25');
    const unknown = await send(PING, { ...bearerOf(ADA), 'mcp-protocol-version': '2025-03-26' });
    expect([unknown.status, unknown.body.error.message]).toEqual([
      400,
      expect.stringContaining('2025-11-25, 2025-06-18'),
    ]);
    const modern = await connectMcp(lab.url, bearerOf(ADA), { pin: '2026-07-28' });
    expect(modern.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    await modern.client.close();
  });
});

describe('pages of other sites', () => {
  const from = (origin: string) => send(PING, { ...bearerOf(ADA), origin });

  it.each([
    'https://evil.example',
    'http://evil.example:4000',
    'null',
    'http://localhost.evil.example',
  ])('are refused, even if their name resolves to this machine: %s', async (origin) => {
    const { status, body } = await from(origin);
    expect([status, body]).toEqual([
      403,
      refusal(
        -32_000,
        `Pages of ${origin} may not use MCP, COUNTERGRAPH_CORS_ORIGINS lists those that may`,
      ),
    ]);
  });

  it('are answered if CORS allows them, or if they are on the same machine', async () => {
    for (const origin of [ORIGIN, 'http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:80']) {
      expect((await from(origin)).status).toBe(200);
    }
    const { status, headers } = await lab.call('/mcp', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toContain('mcp-protocol-version');
  });
});

describe('a call', () => {
  it('is logged, measured and counted like other requests', async () => {
    const given = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };
    const { headers } = await send(callOf('topper', given));
    const id = String(headers['x-request-id']);
    await expect.poll(() => lab.logText()).toContain(`"requestId":"${id}"`);
    const lines = lab
      .logText()
      .split('\n')
      .filter((line) => line.includes(id));
    const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ user: 'ada', path: '/mcp', operation: 'mcp_topper', status: 200 });
    expect(lab.logText()).not.toContain(ADA.token);
    const { text } = await lab.call('/metrics');
    expect(text).toMatch(/^countergraph_http_request_seconds_count\{route="\/mcp",.*\} \d+$/m);
    expect(text).toMatch(
      /^countergraph_graphql_operation_seconds_count\{operation="mcp_topper"\} \d/m,
    );
  });

  it('causes no more statements than GraphQL does', async () => {
    const given = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };
    await send(callOf('topper', given));
    const statements = lab.watchStatements();
    await send(callOf('topper', given));
    // The one statement looks up the user: the rest is cached.
    expect(statements()).toHaveLength(1);
  });
});

describe('overload', () => {
  it('refuses calls at once with 503 and Retry-After, and answers the admitted ones', async () => {
    const settings = {
      maxConcurrent: 2,
      logLevel: 'info' as const,
      answerCacheBytes: 0,
      responseCacheBytes: 0,
    };
    const small = await startTestService({ databaseUrl: lab.databaseUrl, settings });
    const given = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };
    const ask = () => send(callOf('topper', given), bearerOf(ADA), small);
    const held = await holdTables(lab.databaseUrl, ['segments']);
    try {
      const first = [ask(), ask()];
      while ((await countWaiting(lab.databaseUrl)) < 2) await delay(5);
      const { status, headers, body } = await ask();
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(body).toEqual(refusal(-32_000, 'Server is busy'));
      await held.release();
      for (const { body: answered } of await Promise.all(first)) {
        expect(answered.result.structuredContent).toMatchObject({ total: 1780 });
      }
    } finally {
      await held.release();
      await small.close();
    }
  });
});
