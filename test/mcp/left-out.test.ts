import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { CONTEXT, startMcpLab, WINDOW } from './mcp-lab.ts';

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startMcpLab();
  ada = await connectMcp(lab.url, bearerOf(ADA));
});

afterAll(() => lab.close());

const GROUP = { context: CONTEXT, counterGroup: 'Hosts' };
const KEY = { context: CONTEXT, counterGroup: 'Hosts', key: '10.0.0.1' };

describe('null', () => {
  it.each<[string, Record<string, unknown>]>([
    ['list_contexts', {}],
    ['list_groups', { context: CONTEXT }],
    ['topper', GROUP],
    ['key_series', KEY],
    ['drilldown', KEY],
    ['search_keys', GROUP],
    ['alerts', { context: CONTEXT }],
  ])('for each optional argument of %s is the same as leaving it out', async (tool, required) => {
    const { tools } = await ada.client.listTools();
    const { properties = {} } = tools.find(({ name }) => name === tool)?.inputSchema ?? {};
    const nulls = Object.keys(properties).map((name) => [name, null]);
    const given = Object.assign(Object.fromEntries(nulls), required);
    expect(await ada.call(tool, given)).toEqual(await ada.call(tool, required));
  });

  it('for a field of an argument is the same as leaving it out', async () => {
    const asked = Object.assign({ window: WINDOW }, GROUP);
    const filled = Object.assign({}, GROUP, {
      window: { interval: WINDOW.interval, preset: null, dates: null, startingAt: null },
      filter: { keys: null, search: null, match: null },
      prefix: { ipv4: 16, ipv6: null },
    });
    const plain = Object.assign({}, asked, { prefix: { ipv4: 16 }, filter: {} });
    expect(await ada.ask('topper', filled)).toEqual(await ada.ask('topper', plain));
  });

  it('for a required argument or in a list is an error', async () => {
    expect(await ada.fault('topper', { context: CONTEXT, counterGroup: null })).toBe(
      'counterGroup is required; it must be the name or GUID of a counter group',
    );
    const listed = Object.assign({ filter: { keys: [null] } }, GROUP);
    expect(await ada.fault('topper', listed)).toBe(
      'filter.keys.0 must be a key, raw or readable, got null',
    );
    const window = { interval: { from: null, to: 1 } };
    expect(await ada.fault('topper', Object.assign({ window }, GROUP))).toMatch(
      /^window\.interval\.from is required; it must be an integer/,
    );
  });
});
