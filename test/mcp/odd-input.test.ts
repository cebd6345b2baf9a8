import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { post } from '../support/http/rest-parameters.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { CONTEXT, startMcpLab, WINDOW } from './mcp-lab.ts';

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startMcpLab();
  ada = await connectMcp(lab.url, bearerOf(ADA));
});

afterAll(() => lab.close());

/** Calls a tool with arguments as JSON text, which may be nested too deeply for JSON.stringify. */
async function callWith(given: string) {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"topper","arguments":${given}}}`;
  const sent = post('application/json', body);
  const headers = Object.assign({}, sent.headers, bearerOf(ADA));
  const { text } = await lab.call('/mcp', Object.assign({}, sent, { headers }));
  return JSON.parse(text);
}

const nested = (open: string, inner: string, close: string, levels: number): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

describe('deeply nested arguments', () => {
  it.each([
    ['a list', nested('[', '', ']', 6000)],
    ['a longer list', nested('[', '', ']', 100_000)],
    ['an object', nested('{"a":', '1', '}', 20_000)],
  ])('are an error in the arguments like any other: %s', async (_, deep) => {
    const { result, error } = await callWith(`{"context":"lab","counterGroup":${deep}}`);
    expect(error).toBeUndefined();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(
      /^counterGroup must be the name or GUID of a counter group, got .{1,60}$/,
    );
    expect(lab.logText()).not.toContain('a tool failed');
  });

  it('are an error in place of the arguments, too', async () => {
    const { result, error } = await callWith(nested('[', '', ']', 6000));
    expect(result?.isError ?? error.code === -32_602).toBe(true);
    expect(await ada.ask('list_contexts')).toMatchObject({ username: 'ada' });
  });
});

describe('long arguments', () => {
  const LONG = 'x'.repeat(100_000);
  const asked = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };
  const SHOWN = /x{80,100}…/;

  it.each<[string, string, object]>([
    ['context', 'list_groups', { counterGroup: undefined, window: undefined, context: LONG }],
    ['context', 'topper', { context: LONG }],
    ['counterGroup', 'topper', { counterGroup: LONG }],
    ['meter', 'topper', { meter: LONG }],
    ['probe', 'topper', { probe: LONG }],
    ['timeZone', 'topper', { timeZone: LONG }],
    ['filter.match', 'topper', { filter: { match: `(${LONG}` } }],
    ['filter.cidr', 'topper', { filter: { cidr: [LONG] } }],
    ['rankBy', 'topper', { rankBy: LONG }],
    ['maxItems', 'topper', { maxItems: LONG }],
    ['a list for maxItems', 'topper', { maxItems: [[LONG, LONG]] }],
    ['an unknown argument', 'topper', { [LONG]: 1 }],
    ['an unknown field of window', 'topper', { window: { [LONG]: 1 } }],
    ['key', 'key_series', { key: LONG }],
    ['key', 'drilldown', { key: LONG }],
    ['crosskey', 'drilldown', { key: '10.0.0.1', crosskey: LONG }],
    ['alert', 'alerts', { counterGroup: undefined, window: undefined, alert: LONG }],
    ['after', 'search_keys', { window: undefined, after: LONG }],
  ])('are shortened in the errors about them: %s of %s', async (_, tool, more) => {
    const text = await ada.fault(tool, Object.assign({}, asked, more));
    expect(text.length).toBeLessThan(800);
    expect(text).toMatch(SHOWN);
  });

  it('are shortened in answers that name them', async () => {
    for (const [tool, more] of [
      ['list_groups', {}],
      ['search_keys', { counterGroup: 'Hosts' }],
    ] as const) {
      const given = Object.assign({ context: CONTEXT, search: LONG.slice(0, 200) }, more);
      const { text } = await ada.call(tool, given);
      expect(text.length).toBeLessThan(300);
      expect(text).toMatch(SHOWN);
    }
  });

  it('name of a tool: it is shortened in the protocol error', async () => {
    await expect(ada.call(LONG)).rejects.toThrow(
      /There is no tool "x{99}…; the tools are list_contexts, .{1,100}$/,
    );
  });

  it('that are all wrong are not all reported', async () => {
    const keys = Array.from({ length: 5000 }, (_, index) => index);
    const text = await ada.fault('topper', Object.assign({ filter: { keys } }, asked));
    expect(text).toMatch(
      /^filter\.keys\.0 must be a key, raw or readable, got 0; filter\.keys\.1 /,
    );
    expect(text).toMatch(/; and 4990 more$/);
  });

  it('of names: only the first are listed', async () => {
    const odd = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`odd${index}`, 1]));
    const text = await ada.fault('topper', Object.assign({}, asked, odd));
    expect(text).toMatch(/^There is no argument odd0, odd1, .*…; the arguments are context, /);
    expect(text.length).toBeLessThan(500);
  });
});
