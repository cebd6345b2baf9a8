import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerOf } from '../support/http/mcp-client.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../support/lab/service.ts';

const KEYS = 200;

const QUERY = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${guidOf(1)}") {
  topper(window: { interval: { from: ${T0}, to: ${T0 + DAY} } }, maxItems: ${KEYS}) {
    keys { key label metric }
  }
} } }`;

const REST = new URLSearchParams({
  username: ADA.username,
  api_token: ADA.token,
  context: CONTEXT,
  counter_group: guidOf(1),
  meter: '0',
  maxitems: String(KEYS),
  time_interval: JSON.stringify({ from: { tv_sec: T0 }, to: { tv_sec: T0 + DAY } }),
});

let lab: TestService;

beforeAll(async () => {
  const lines = Array.from({ length: KEYS }, (_, i) => ({
    group: guidOf(1),
    key: `key-${i}`,
    ts: T0,
    values: { 0: 1_000 + i },
  }));
  lab = await startLab({ groups: [group(1)], lines, settings: { compileAfter: 1 } });
});

afterAll(() => lab?.close());

type Sent = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

type Target = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

function ask({ path, method = 'GET', headers = {}, body }: Target, more = {}): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${lab.url}${path}`,
      { method, headers: { ...headers, ...more } },
      (response) => {
        const { statusCode: status = 0, headers: received } = response;
        buffer(response).then(
          (bytes) => resolve({ status, headers: received, body: bytes }),
          reject,
        );
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

const GRAPHQL: Target = {
  path: `/graphql?${new URLSearchParams({ query: QUERY })}`,
  headers: { ...basic(ADA), accept: 'application/json' },
};

const TARGETS: Readonly<Record<string, Target>> = {
  'GraphQL by GET': GRAPHQL,
  'GraphQL by POST': {
    path: '/graphql',
    method: 'POST',
    headers: { ...basic(ADA), ...JSON_TYPE },
    body: JSON.stringify({ query: QUERY }),
  },
  REST: { path: `/api/topper/topper_request?${REST}` },
  CSV: { path: `/api/topper/topper_request?${REST}&format=csv` },
  OpenAPI: { path: '/api/openapi.json' },
  'metrics of toppers': { path: `/metrics/toppers?${REST}`, headers: basic(ADA) },
  MCP: {
    path: '/mcp',
    method: 'POST',
    headers: { ...bearerOf(ADA), ...JSON_TYPE, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  },
  'an error': {
    path: '/graphql',
    method: 'POST',
    headers: { ...basic(ADA), ...JSON_TYPE },
    body: JSON.stringify({
      query: `{ ${Array.from({ length: 30 }, (_, i) => `no${i}`).join(' ')} }`,
    }),
  },
  'the explorer': { path: '/graphql', headers: { accept: 'text/html' } },
};

const READ = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe.each(Object.entries(TARGETS))('%s', (_, target) => {
  it.each(['br', 'gzip'] as const)('is compressed by %s for who takes it', async (encoding) => {
    const plain = await ask(target);
    const packed = await ask(target, { 'accept-encoding': `${encoding}, unknown` });
    expect(plain.body.length, String(plain.body)).toBeGreaterThan(1_000);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.status).toBe(plain.status);
    expect(READ[encoding](packed.body)).toEqual(plain.body);
    expect(packed.body.length).toBeLessThan(plain.body.length);
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    for (const { headers } of [plain, packed]) {
      expect(headers.vary?.match(/accept-encoding/gi)).toHaveLength(1);
    }
  });

  it.each(['identity', 'br;q=0, gzip;q=0', 'zstd'])('is sent as it is for %s', async (accepted) => {
    const plain = await ask(target);
    const asked = await ask(target, { 'accept-encoding': accepted });
    expect(asked.headers['content-encoding']).toBeUndefined();
    expect(asked.body).toEqual(plain.body);
  });
});

it('short answers are sent as they are, unless the caller refuses that', async () => {
  const path = `/graphql?${new URLSearchParams({ query: '{ viewer { username } }' })}`;
  const short = { ...GRAPHQL, path };
  const { headers, body } = await ask(short, { 'accept-encoding': 'br, gzip' });
  expect(headers['content-encoding']).toBeUndefined();
  expect(String(body)).toBe('{"data":{"viewer":{"username":"ada"}}}');
  const packed = await ask(short, { 'accept-encoding': 'identity;q=0, gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.body)).toEqual(body);
});

it('each encoding has an entity tag of its own, which only it revalidates', async () => {
  const accepts = [{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'gzip, br' }];
  const answers = await Promise.all(accepts.map((accept) => ask(GRAPHQL, accept)));
  const tags = answers.map(({ headers }) => String(headers.etag));
  expect(new Set(tags).size).toBe(3);
  for (const [i, tag] of tags.entries()) {
    for (const [j, accept] of accepts.entries()) {
      const { status, headers, body } = await ask(GRAPHQL, { ...accept, 'if-none-match': tag });
      expect(status, `${tag} for ${JSON.stringify(accept)}`).toBe(i === j ? 304 : 200);
      expect(headers.vary).toMatch(/Accept-Encoding/);
      if (i === j) expect([body.length, headers['content-encoding']]).toEqual([0, undefined]);
    }
  }
});

it('HEAD has the headers of GET', async () => {
  const accept = { 'accept-encoding': 'br' };
  const target = { path: '/api/openapi.json' };
  const get = await ask(target, accept);
  const head = await ask({ ...target, method: 'HEAD' }, accept);
  expect(get.headers['content-encoding']).toBe('br');
  expect(head.body).toHaveLength(0);
  for (const name of ['etag', 'vary', 'content-length', 'content-encoding', 'content-type']) {
    expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  }
});
