import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const SECRET = 's3cr3t-W0rd';
const TOPPER = '/api/topper/topper_request';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], settings: { logLevel: 'trace', slowMs: 1 } });
});

afterAll(() => lab.close());

type Call = Parameters<TestService['call']>[1];

/** Sends a request, and returns all that was logged meanwhile, with its own line. */
async function logged(path: string, how: Call = {}) {
  const before = lab.logText().length;
  await lab.call(path, how);
  const text = lab.logText().slice(before);
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
  return { text, line: lines.find(({ msg }) => msg === 'request') };
}

describe('the log of a request', () => {
  it('shows the parameters that are known, and how many others there were', async () => {
    const group = encodeURIComponent(guidOf(1));
    const { line } = await logged(
      `${TOPPER}?context=lab&counter_group=${group}&get_percentiles[]=95&x=1&y=2`,
      { headers: basic(ADA) },
    );
    expect(line).toMatchObject({
      path: TOPPER,
      user: 'ada',
      parameters: { context: 'lab', counter_group: guidOf(1), 'get_percentiles[]': '95' },
      unknownParameters: 2,
    });
  });

  it('counts none where all are known', async () => {
    const { line } = await logged(`${TOPPER}?context=lab&username=ada&api_token=${SECRET}`);
    expect(line).toMatchObject({ parameters: { context: 'lab' } });
    expect(line).not.toHaveProperty('unknownParameters');
  });

  it('names the operation of a GraphQL request by GET', async () => {
    const query = encodeURIComponent(`query Q { node(id: "${SECRET}") { id } }`);
    const { line, text } = await logged(`/graphql?query=${query}&operationName=Q&variables={}`);
    expect(line).toMatchObject({ path: '/graphql', parameters: { operationName: 'Q' } });
    expect(line).not.toHaveProperty('unknownParameters');
    expect(text).not.toContain(SECRET);
  });

  const NAMES =
    'api_token api-token apitoken apiToken API_TOKEN api_token[] token password pass secret ' +
    'Authorization authorization access_token username x-username key amp;api_token';
  const PATHS = [
    TOPPER,
    '/api/topper/topper_request/',
    '/graphql',
    '/mcp',
    '/metrics',
    '/metrics/toppers',
    '/',
    '/nothing/here',
    '/api/openapi.json',
  ];

  it.each(NAMES.split(' '))('never has the value of `%s`', async (name) => {
    for (const path of PATHS) {
      const { text } = await logged(`${path}?context=lab&${name}=${SECRET}`);
      expect(text, path).not.toContain(SECRET);
    }
  });

  it.each([
    `${TOPPER}&api_token=${SECRET}`,
    `${TOPPER};api_token=${SECRET}`,
    `${TOPPER}%3Fapi_token=${SECRET}`,
    `${TOPPER}?context=lab%26api_token=${SECRET}`,
    `${TOPPER}?context=lab?api_token=${SECRET}`,
    `${TOPPER}?context=lab;api_token=${SECRET}`,
    `${TOPPER}?${SECRET}`,
    `/graphql?operationName=Q%26token=${SECRET}`,
    `/user:${SECRET}@host/`,
    `/api_token=${SECRET}`,
  ])('never has a token at another place: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await logged(path, { method })).text).not.toContain(SECRET);
    }
  });

  it.each(['referer', 'x-forwarded-host', 'origin', 'cookie', 'x-api-token', 'host'])(
    'never has a token of the header `%s`',
    async (name) => {
      const headers = { ...basic(ADA), [name]: `http://page/?api_token=${SECRET}` };
      for (const path of PATHS) {
        const { text } = await logged(path, { method: 'POST', headers, body: '{}' });
        expect(text, path).not.toContain(SECRET);
      }
    },
  );

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', SECRET])(
    'never has a token of a body of the type %s',
    async (type) => {
      const headers = { 'content-type': type };
      for (const path of PATHS) {
        for (const body of [
          `api_token=${SECRET}`,
          `{"token":"${SECRET}"}`,
          `{"query":"${SECRET}`,
        ]) {
          const { text } = await logged(path, { method: 'POST', headers, body });
          expect(text, path).not.toContain(SECRET);
        }
      }
    },
  );
});
