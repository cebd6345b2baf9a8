import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../server/start-server.ts';
import { httpCall } from '../support/http/http-call.ts';
import { group, startLab } from '../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../support/lab/service.ts';
import { ask, startExplorerServer } from './explorer-server.ts';

let lab: TestService;
let server: RunningServer;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  server = await startExplorerServer(
    lab.databaseUrl,
    { credentials: null },
    { COUNTERGRAPH_EXPLORER: 'signed-in', COUNTERGRAPH_INTROSPECTION: 'signed-in' },
  );
});

afterAll(async () => {
  await server?.close();
  await lab?.close();
});

const BEARER = { authorization: `Bearer ${ADA.token}`, 'x-username': ADA.username };

const page = (headers: Record<string, string> = {}) =>
  ask(`${server.url}/graphql`, { headers: { accept: 'text/html', ...headers } });

describe('COUNTERGRAPH_EXPLORER=signed-in', () => {
  it('gives a browser a sign-in page that reveals nothing of the schema', async () => {
    const { status, headers, body } = await page();
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(String(body)).toContain('<button>Sign in</button>');
    expect(String(body)).not.toMatch(/counterGroup|topper|settings/);
  });

  it.each([BEARER, basic(ADA)])('gives a signed-in user the explorer', async (headers) => {
    const answer = await page(headers);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(String(answer.body)).toContain('<main id="explorer">');
  });

  it('gives it to whoever has a session, and the sign-in page once that has ended', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(ADA);
    const began = await httpCall(`${server.url}/session`, { method: 'POST', headers, body });
    const cookie = String(began.headers['set-cookie']).split(';')[0] ?? '';
    expect(String((await page({ cookie })).body)).toContain('<main id="explorer">');
    await lab.sql('delete from sessions');
    expect(String((await page({ cookie })).body)).toContain('<button>Sign in</button>');
  });

  it('tells a user who signs in with another token that it is wrong', async () => {
    const { status, headers, body } = await page({ ...BEARER, authorization: 'Bearer other' });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(JSON.parse(String(body))).toEqual({
      errors: [{ message: 'Invalid API token', extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  it('serves what its sign-in page loads', async () => {
    const paths = String((await page()).body).match(/(?<=")graphql\/assets\/[^"]+(?=")/g) ?? [];
    expect(paths).toHaveLength(3);
    for (const path of paths) expect((await ask(`${server.url}/${path}`)).status).toBe(200);
  });
});
