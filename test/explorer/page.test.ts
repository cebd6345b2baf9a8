import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../server/start-server.ts';
import { ask, DEMO, NO_DATABASE, startExplorerServer } from './explorer-server.ts';

let demo: RunningServer;
let plain: RunningServer;

beforeAll(async () => {
  demo = await startExplorerServer(NO_DATABASE, DEMO);
  plain = await startExplorerServer(NO_DATABASE, { credentials: null });
});

afterAll(async () => {
  await demo?.close();
  await plain?.close();
});

const HTML = { accept: 'text/html' };

const pageOf = async (server: RunningServer): Promise<string> =>
  String((await ask(`${server.url}/graphql`, { headers: HTML })).body);

/** The settings that the server puts into the page for its script. */
async function settingsOf(server: RunningServer) {
  const [, json = ''] = /id="settings">(.*?)<\/script>/s.exec(await pageOf(server)) ?? [];
  return JSON.parse(json) as { headers: string; context: string; examples: unknown[] };
}

describe('GET /graphql', () => {
  it.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/xml, TEXT/HTML;q=0.5',
  ])('is the page for clients that accept %s', async (accept) => {
    const { status, headers } = await ask(`${plain.url}/graphql`, { headers: { accept } });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it.each([
    'application/graphql-response+json',
    'application/json',
    '*/*',
    'text/html-like',
    'x-text/html',
    'text/html;q=0, */*',
  ])('is the API for clients that accept %s', async (accept) => {
    const url = `${plain.url}/graphql?query={__typename}`;
    const { headers } = await ask(url, { headers: { accept } });
    expect(String(headers['content-type'])).not.toContain('text/html');
    expect(headers['content-security-policy']).toBeUndefined();
  });

  it('tells caches that it varies by what is accepted', async () => {
    const { headers } = await ask(`${plain.url}/graphql`, { headers: HTML });
    expect(headers.vary).toBe('Accept, Accept-Encoding');
    expect(headers['cache-control']).toBe('no-cache');
  });
});

it('HEAD /graphql has the headers of the page and no body', async () => {
  const got = await ask(`${plain.url}/graphql`, { headers: HTML });
  const head = await ask(`${plain.url}/graphql`, { method: 'HEAD', headers: HTML });
  expect(head.status).toBe(200);
  expect(head.body).toHaveLength(0);
  expect(head.headers['content-length']).toBe(String(got.body.length));
  expect(head.headers['content-security-policy']).toBe(got.headers['content-security-policy']);
});

it('POST /graphql is the API, whatever the client accepts', async () => {
  const headers = { ...HTML, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ __typename }' });
  const answer = await fetch(`${plain.url}/graphql`, { method: 'POST', headers, body });
  expect(answer.headers.get('content-security-policy')).toBeNull();
  expect(await answer.text()).not.toContain('<html');
});

describe('the page', () => {
  it('may load only from this server, run no inline script, and be in no frame', async () => {
    const { headers } = await ask(`${demo.url}/graphql`, { headers: HTML });
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive) => {
          const [name = '', ...sources] = directive.split(' ');
          return [name, sources.join(' ')];
        }),
    );
    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    expect(policy.get('worker-src')).toBe("'self'");
    expect(policy.get('connect-src')).toBe("'self'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect([...policy.values()].filter((sources) => /[*:]\/\/|https?:|\*/.test(sources))).toEqual(
      [],
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('has no inline script, style or handler', async () => {
    const page = await pageOf(demo);
    const scripts = [...page.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
    expect(scripts).not.toEqual([]);
    expect(scripts.filter((attributes) => !/ src=|application\/json/.test(attributes))).toEqual([]);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('is small', async () => {
    expect((await pageOf(demo)).length).toBeLessThan(16_384);
  });

  it('escapes texts in its settings that would end them', async () => {
    const texts = { username: '</script><script>alert(1)</script>', token: '<!--' };
    const server = await startExplorerServer(NO_DATABASE, { credentials: texts });
    try {
      expect(await pageOf(server)).not.toMatch(/alert\(1\)<\/script>|<!--/);
      expect(JSON.parse((await settingsOf(server)).headers)).toEqual({
        authorization: 'Bearer <!--',
        'x-username': texts.username,
      });
    } finally {
      await server.close();
    }
  });
});

describe('credentials', () => {
  it("are the demo's on the demo", async () => {
    const { headers, context } = await settingsOf(demo);
    expect(JSON.parse(headers)).toEqual({ authorization: 'Bearer demo', 'x-username': 'demo' });
    expect(context).toBe('demo');
  });

  it('are left for the user to fill in elsewhere', async () => {
    const { headers, context } = await settingsOf(plain);
    expect(JSON.parse(headers)).toEqual({ authorization: 'Bearer ', 'x-username': '' });
    expect(context).toBe('');
    expect(await pageOf(plain)).not.toContain('demo');
  });
});
