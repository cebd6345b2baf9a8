import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../server/settings/settings.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { ask, NO_DATABASE } from './explorer-server.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('COUNTERGRAPH_EXPLORER=off', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({
      settings: readSettings({
        PORT: '0',
        COUNTERGRAPH_EXPLORER: 'off',
        COUNTERGRAPH_DASHBOARD: 'off',
      }),
      databaseUrl: NO_DATABASE,
      log: createLog('silent', process.stderr),
      explorer: { credentials: null },
      merging: { delays: null },
    });
  });

  afterAll(() => server.close());

  it.each([['/graphql'], ['/'], ['/graphql/assets/explorer.js']])(
    'there is nothing at %s for a browser',
    async (path) => {
      const { status, body, headers } = await ask(server.url + path, { headers: HTML });
      expect(status).toBe(404);
      expect(JSON.parse(String(body))).toEqual({
        status: 'ERROR',
        message: `There is nothing at ${path}`,
      });
      expect(headers['content-type']).toMatch(/json/);
    },
  );

  it('queries are answered, even those in an address', async () => {
    const answer = await ask(`${server.url}/graphql?query=${encodeURIComponent('{__typename}')}`, {
      headers: HTML,
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(String(answer.body))).toEqual({ data: { __typename: 'Query' } });
  });
});
