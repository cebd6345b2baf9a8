import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab } from '../support/lab/lab.ts';
import { ENDPOINT_NAMES, startTestService, type TestService } from '../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

const JSON_TYPE = 'application/json; charset=utf-8';

describe('every answer', () => {
  it.each(ENDPOINT_NAMES)('of %s is JSON in UTF-8, errors too (decision 6)', async (endpoint) => {
    const good = await lab.rest(endpoint, { counter_group: GROUP });
    const bad = await lab.rest(endpoint, { context: '' });
    expect([good.status, bad.status]).toEqual([200, 400]);
    expect([good, bad].map(({ headers }) => headers['content-type'])).toEqual([
      JSON_TYPE,
      JSON_TYPE,
    ]);
  });

  it('carries its own request id, which is in the log too (decision 5)', async () => {
    const answers = [
      await lab.rest('slices'),
      await lab.rest('slices', { api_token: 'wrong' }),
      await lab.graphql('{ __typename }'),
      await lab.call('/healthz'),
      await lab.call('/nowhere'),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(answers.length);
    for (const id of ids) {
      expect(id).toMatch(/\S{8,}/);
      expect(lab.logText()).toContain(id);
    }
  });

  it('contains no stack trace, SQL or address', async () => {
    const { text, status } = await lab.rest('topper', { counter_group: GROUP, meter: -5 });
    expect(status).toBe(422);
    expect(text).not.toMatch(/select|postgres|127\.0\.0\.1|\bat .*\.ts/i);
  });
});

describe('the log (decision 10)', () => {
  it('has query strings without api_token, and no token of a body or header', async () => {
    await lab.rest('slices', { probe_id: 'seen-probe' });
    await lab.rest('slices', { api_token: 'wrong-secret' });
    await lab.rest('slices', { 'api_token[]': 'listed-secret', api_token: undefined });
    await lab.rest('slices', { api_token: 'body-secret' }, { encoding: 'json' });
    await lab.graphql('{ viewer { username } }', {}, { authorization: 'Bearer bearer-secret' });
    await lab.call(`${lab.path('slices')}?API_TOKEN=shouted-secret`);
    await lab.call('/graphql?api_token=graphql-secret&query=%7B__typename%7D');
    const log = lab.logText();
    expect(log).toContain('seen-probe');
    expect(log).not.toMatch(/ada-token|-secret/);
  });
});

describe('health', () => {
  it('/healthz is 200 while the server runs', async () => {
    expect((await lab.call('/healthz')).status).toBe(200);
  });

  it('/readyz is 200 with a migrated database that is reachable', async () => {
    expect((await lab.call('/readyz')).status).toBe(200);
  });

  it('/readyz is 503 without one', async () => {
    const nowhere = await startTestService({ databaseUrl: 'postgres://x:y@127.0.0.1:9/none' });
    try {
      expect((await nowhere.call('/readyz')).status).toBe(503);
      expect((await nowhere.call('/healthz')).status).toBe(200);
      expect(await nowhere.refusal('slices')).toEqual([500, 'Database is not reachable']);
      expect((await nowhere.rest('slices')).headers['retry-after']).toBe('1');
      const graph = await nowhere.graphql('{ viewer { username } }');
      expect(graph.errors).toMatchObject([
        { message: 'Database is not reachable', extensions: { code: 'BACKEND' } },
      ]);
      expect(graph.headers['retry-after']).toBe('1');
      expect(nowhere.logText()).not.toContain('x:y');
    } finally {
      await nowhere.close();
    }
  });

  it('/metrics is Prometheus text', async () => {
    const { status, headers, text } = await lab.call('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toMatch(/^# TYPE \w+ \w+$/m);
  });
});

describe('an unknown path', () => {
  it.each(['/nowhere', '/api', '/api/topper', '/api/topper/topper_request/', '/graphql/x'])(
    '%s is 404 with the shape of an error',
    async (path) => {
      const { status, text, headers } = await lab.call(path);
      expect(JSON.parse(text)).toEqual({ status: 'ERROR', message: expect.any(String) });
      expect(headers['content-type']).toBe(JSON_TYPE);
      expect(status).toBe(404);
    },
  );
});

describe('GET /graphql', () => {
  it('gives browsers the explorer, and loads nothing from other hosts', async () => {
    const { status, headers, text } = await lab.call('/graphql', {
      headers: { accept: 'text/html,application/xhtml+xml' },
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(text).not.toMatch(/(src|href)="?https?:\/\//);
    expect(text).not.toMatch(/unpkg|jsdelivr|cdnjs|fonts\.googleapis/);
  });
});

describe('a browser (COUNTERGRAPH_CORS_ORIGINS)', () => {
  it('may call from the configured origins and no others', async () => {
    const origin = 'https://noc.example.com';
    const { databaseUrl } = lab;
    const open = await startTestService({ databaseUrl, settings: { corsOrigins: [origin] } });
    try {
      const allowed = async (service: TestService, from: string) =>
        (await service.rest('slices', {}, { headers: { origin: from } })).headers[
          'access-control-allow-origin'
        ];
      expect(await allowed(open, origin)).toBe(origin);
      expect(await allowed(open, 'https://evil.example.com')).toBeUndefined();
      expect(await allowed(open, 'null')).toBeUndefined();
      expect(await allowed(lab, origin)).toBeUndefined();
    } finally {
      await open.close();
    }
  });
});
