import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { RawConnection, statusOf } from '../../support/http/raw-connection.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], settings: { corsOrigins: ['https://a.example'] } });
});

afterAll(() => lab.close());

const open: RawConnection[] = [];

afterEach(() => {
  for (const connection of open.splice(0)) connection.destroy();
});

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const SLICES = '/api/time_slices/time_slices_request';
const RIGHT = `authorization: ${basic(ADA)['authorization']}\r\n`;
const WRONG = `authorization: ${basic({ ...ADA, token: 'x' })['authorization']}\r\n`;
const JSON_TYPE = 'content-type: application/json\r\n';

type Sent = {
  readonly target: string;
  readonly headers: string;
  readonly body: string;
  readonly length?: number;
};

const headOf = ({ target, headers, body, length = body.length }: Sent): string =>
  `POST ${target} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n${headers}\r\n`;

async function connect(service: TestService = lab): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  open.push(connection);
  return connection;
}

/** Sends the head alone, and returns what comes first: 100, or the answer, whole. */
async function ask(sent: Sent, service: TestService = lab): Promise<string> {
  const connection = await connect(service);
  connection.write(headOf(sent));
  await connection.until(/\r\n\r\n/);
  if (connection.received.startsWith(CONTINUE)) {
    connection.write(sent.body);
    return connection.until(/HTTP\/1\.1 [2-5]\d\d [\s\S]*\r\n\r\n[\s\S]/);
  }
  await connection.closed();
  return connection.received;
}

const GOOD: Readonly<Record<string, Sent>> = {
  GraphQL: {
    target: '/graphql',
    headers: RIGHT + JSON_TYPE,
    body: '{"query":"{viewer{username}}"}',
  },
  'GraphQL, signed out': {
    target: '/graphql',
    headers: JSON_TYPE,
    body: '{"query":"{__typename}"}',
  },
  MCP: {
    target: '/mcp',
    headers: `${RIGHT}${JSON_TYPE}accept: application/json, text/event-stream\r\n`,
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  },
  'REST, with credentials in the header': {
    target: SLICES,
    headers: RIGHT + JSON_TYPE,
    body: '{"context":"lab"}',
  },
  'REST, with credentials in the query': {
    target: `${SLICES}?username=ada&api_token=ada-token`,
    headers: JSON_TYPE,
    body: '{"context":"lab"}',
  },
  'REST, with credentials in the body': {
    target: SLICES,
    headers: JSON_TYPE,
    body: '{"context":"lab","username":"ada","api_token":"ada-token"}',
  },
  'REST, with credentials in both': {
    target: `${SLICES}?username=ada`,
    headers: JSON_TYPE,
    body: '{"context":"lab","api_token":"ada-token"}',
  },
  'REST, compressed': {
    target: SLICES,
    headers: `${RIGHT}${JSON_TYPE}content-encoding: gzip\r\n`,
    body: gzipSync('{"context":"lab"}').toString('latin1'),
  },
};

describe('a client that waits for 100 Continue', () => {
  it.each(Object.entries(GOOD))('is asked for the body once, and answered: %s', async (_, sent) => {
    const received = await ask(sent);
    expect(received.startsWith(`${CONTINUE}HTTP/1.1 200 OK\r\n`)).toBe(true);
    expect(received).not.toMatch(/connection: close/i);
  });

  it('may go on on the same connection', async () => {
    const connection = await connect();
    const sent = GOOD['GraphQL'] as Sent;
    for (const count of [1, 2, 3]) {
      connection.write(headOf(sent));
      await connection.until(new RegExp(`(100 Continue[\\s\\S]*){${count}}`));
      connection.write(sent.body);
      await connection.until(new RegExp(`("username":"ada"[\\s\\S]*){${count}}`));
    }
    expect(connection.received.match(/ 200 OK/g)).toHaveLength(3);
  });

  const REFUSED: readonly (readonly [string, number, Sent])[] = [
    ['wrong credentials', 401, { target: '/graphql', headers: WRONG + JSON_TYPE, body: '{}' }],
    ['wrong credentials', 401, { target: '/mcp', headers: WRONG + JSON_TYPE, body: '{}' }],
    ['no credentials', 401, { target: '/mcp', headers: JSON_TYPE, body: '{}' }],
    ['wrong credentials', 401, { target: SLICES, headers: WRONG + JSON_TYPE, body: '{}' }],
    [
      'wrong credentials in the query',
      401,
      { target: `${SLICES}?username=ada&api_token=x`, headers: JSON_TYPE, body: '{}' },
    ],
    [
      'a body beyond the limit',
      413,
      { target: SLICES, headers: RIGHT, body: '', length: LIMITS.restBodyBytes + 1 },
    ],
    [
      'a body beyond the limit',
      413,
      { target: '/graphql', headers: WRONG + JSON_TYPE, body: '', length: 1e12 },
    ],
    ['a body beyond the limit', 413, { target: '/mcp', headers: JSON_TYPE, body: '', length: 1e9 }],
    [
      'another encoding',
      415,
      { target: SLICES, headers: `${RIGHT}content-encoding: br\r\n`, body: '{}' },
    ],
    [
      'another type',
      415,
      { target: '/graphql', headers: `${RIGHT}content-type: text/plain\r\n`, body: '{}' },
    ],
    ['an unknown path', 404, { target: '/nothing', headers: RIGHT, body: '{}' }],
    ['a second host', 400, { target: '/graphql', headers: `${RIGHT}host: y\r\n`, body: '{}' }],
  ];

  it.each(REFUSED)('with %s gets %i without it', async (_, status, sent) => {
    const received = await ask(sent);
    expect(received).not.toContain('100 Continue');
    expect(statusOf(received)).toBe(status);
    expect(received).toMatch(/connection: close/i);
  });

  it.each(REFUSED)(
    'but sends its body at once reads the answer all the same: %s, %i',
    async (_, status, sent) => {
      const connection = await connect();
      const body = sent.body.padEnd(Math.min(sent.length ?? 60_000, 1_000_000), ' ');
      connection.write(headOf({ ...sent, body, ...(sent.length && { length: sent.length }) }));
      connection.write(body);
      await connection.until(/\r\n\r\n\{[\s\S]*\}$/);
      expect(statusOf(connection.received)).toBe(status);
    },
  );

  it.each(Object.entries(GOOD))('may send its body without waiting: %s', async (_, sent) => {
    const connection = await connect();
    connection.write(headOf(sent) + sent.body);
    await connection.until(/ 200 OK\r\n[\s\S]*\r\n\r\n[\s\S]/);
    expect(statusOf(connection.received)).toBe(200);
  });

  it('is not asked while the server is busy', async () => {
    const { databaseUrl } = lab;
    const own = await startTestService({ databaseUrl, settings: { maxConcurrent: 1 } });
    try {
      const first = await connect(own);
      const sent = GOOD['GraphQL'] as Sent;
      first.write(headOf(sent));
      await first.until('100 Continue');
      for (const each of Object.values(GOOD)) {
        const received = await ask(each, own);
        expect(received).not.toContain('100 Continue');
        expect(statusOf(received)).toBe(503);
      }
      first.write(sent.body);
      await first.until('"username":"ada"');
      expect(statusOf(await ask(sent, own))).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('counts a wrong token once', async () => {
    const { databaseUrl } = lab;
    const own = await startTestService({ databaseUrl, settings: { trustProxy: ['127.0.0.0/8'] } });
    try {
      const from = 'x-forwarded-for: 192.0.2.1\r\n';
      const { target, body } = GOOD['GraphQL'] as Sent;
      const most = LIMITS.loginFailures;
      const headers = WRONG + JSON_TYPE + from;
      for (let i = 0; i < most; i += 1) {
        expect(statusOf(await ask({ target, body, headers }, own))).toBe(401);
      }
      expect(statusOf(await ask({ target, body, headers }, own))).toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe('an expectation', () => {
  it.each(['anything', '100-continue, x', 'x=y'])('%s is ignored', async (given) => {
    const connection = await connect();
    connection.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: ${given}\r\n\r\n`);
    await connection.until('alive');
    expect(connection.received).not.toContain('100 Continue');
    expect(statusOf(connection.received)).toBe(200);
  });

  it('without a body is not answered', async () => {
    for (const [method, length] of [
      ['GET', ''],
      ['POST', 'content-length: 0\r\n'],
    ]) {
      const connection = await connect();
      const target = `${SLICES}?username=ada&api_token=ada-token&context=lab`;
      connection.write(
        `${method} ${target} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${length}\r\n`,
      );
      await connection.until('context_name');
      expect(connection.received.startsWith('HTTP/1.1 200 OK')).toBe(true);
    }
  });

  it('of a request in chunks is answered', async () => {
    const connection = await connect();
    connection.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n${RIGHT}${JSON_TYPE}\r\n`,
    );
    await connection.until('100 Continue');
    const { body } = GOOD['GraphQL'] as Sent;
    connection.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    await connection.until('"username":"ada"');
    expect(statusOf(connection.received)).toBe(200);
  });
});
