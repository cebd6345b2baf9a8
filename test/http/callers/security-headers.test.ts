import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';

const ORIGIN = 'https://noc.example.com';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], settings: { corsOrigins: [ORIGIN] } });
});

afterAll(() => lab.close());

const SLICES = '/api/time_slices/time_slices_request';
const GOOD = `${SLICES}?username=ada&api_token=ada-token&context=lab`;
const QUERY = '/graphql?query={__typename}';
const HTML = { accept: 'text/html' };

type Sent = Readonly<Record<string, string>>;

describe('an answer', () => {
  it.each<[string, number, string, Sent]>([
    ['of REST', 200, GOOD, {}],
    ['that is a 401 of REST', 401, SLICES, {}],
    ['of GraphQL', 200, QUERY, {}],
    ['that is a 401 of GraphQL', 401, '/graphql?query={contexts{name}}', {}],
    ['that is a 403 of GraphQL', 403, QUERY, { 'sec-fetch-site': 'cross-site' }],
    ['for an unknown path', 404, '/nowhere', {}],
    ['with the dashboard', 200, '/', {}],
    ['of /healthz', 200, '/healthz', {}],
    ['of /readyz', 200, '/readyz', {}],
    ['of /metrics', 200, '/metrics', {}],
  ])('%s is not shared by caches, and not sniffed (%i)', async (_, status, path, headers) => {
    const answer = await lab.call(path, { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'cache-control': answer.headers['etag'] ? 'private, no-cache' : 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['x-powered-by'] ?? answer.headers.server).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('the explorer', () => {
  it('is a page that others may not frame or script, and that has no permissions', async () => {
    const { headers } = await lab.call('/graphql', { headers: HTML });
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['permissions-policy']).toMatch(/^(\w+(-\w+)*=\(\)(, |$))+$/);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]),
    );
    // The editor inserts inline styles; inline scripts are not allowed.
    expect(policy.filter((directive) => directive.includes('unsafe'))).toEqual([
      "style-src 'self' 'unsafe-inline'",
    ]);
  });

  it('has assets that caches keep, and that are not sniffed', async () => {
    const { text } = await lab.call('/graphql', { headers: HTML });
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(text) ?? [];
    const { status, headers } = await lab.call(`/${script}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });
});

const PREFLIGHT = { 'access-control-request-method': 'POST' };

const corsHeaders = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('a page of another site (COUNTERGRAPH_CORS_ORIGINS)', () => {
  const asks = (path: string, headers: Sent, method = 'GET') => lab.call(path, { method, headers });

  it.each([GOOD, QUERY, '/nowhere'])('may read %s if its origin is configured', async (path) => {
    const { headers } = await asks(path, { origin: ORIGIN });
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers.vary).toMatch(/\bOrigin\b/);
    expect(corsHeaders(headers)).not.toContain('access-control-allow-credentials');
  });

  it.each(['/graphql', SLICES])('may preflight %s if its origin is configured', async (path) => {
    const answer = await asks(path, { origin: ORIGIN, ...PREFLIGHT }, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD, POST',
    });
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'if-none-match', 'x-username']),
    );
    expect(corsHeaders(answer.headers)).not.toContain('access-control-allow-credentials');
  });

  it.each([
    'https://evil.example.com',
    'https://noc.example.com.evil.example',
    'https://sub.noc.example.com',
    'http://noc.example.com',
    'https://noc.example.com:8443',
    'https://NOC.example.com',
    'null',
    '*',
    `${ORIGIN}, https://evil.example.com`,
  ])('gets no CORS headers as %s, in a preflight or a request', async (origin) => {
    for (const path of ['/graphql', SLICES]) {
      const preflight = await asks(path, { origin, ...PREFLIGHT }, 'OPTIONS');
      expect(corsHeaders(preflight.headers)).toEqual([]);
      const request = await asks(path, { origin, ...basic(ADA) });
      expect(corsHeaders(request.headers)).toEqual([]);
    }
  });

  it('may read why it is refused: overload or wrong credentials', async () => {
    const { databaseUrl } = lab;
    const settings = { corsOrigins: [ORIGIN], maxConcurrent: 1 };
    const small = await startTestService({ databaseUrl, settings });
    try {
      const headers = { origin: ORIGIN };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => small.rest('slices', {}, { headers })),
      );
      answers.push(await small.rest('slices', { api_token: 'wrong' }, { headers }));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401, 503]));
      for (const answer of answers) {
        expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
        const exposed = answer.headers['access-control-expose-headers']?.split(', ');
        expect(exposed?.toSorted()).toEqual(
          ['etag', 'retry-after', 'x-available-window', 'x-request-id'].toSorted(),
        );
      }
    } finally {
      await small.close();
    }
  });

  it('gets no CORS headers from a server that allows no origin', async () => {
    const { databaseUrl } = lab;
    const closed = await startTestService({ databaseUrl });
    try {
      const headers = { origin: ORIGIN, ...PREFLIGHT };
      for (const method of ['OPTIONS', 'GET', 'POST']) {
        expect(corsHeaders((await closed.call('/graphql', { method, headers })).headers)).toEqual(
          [],
        );
      }
    } finally {
      await closed.close();
    }
  });
});
