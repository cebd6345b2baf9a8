import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { post } from '../support/http/rest-parameters.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { startMcpLab } from './mcp-lab.ts';

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
