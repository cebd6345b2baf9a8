import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectMcp } from '../support/http/mcp-client.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';
import { readPages } from './pages.ts';

const page = readPages().find(({ path }) => path === 'docs/how-to/use-with-mcp.md');

type Entry = {
  readonly type: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** The server in the configuration under a heading. */
function entryUnder(heading: string): Entry {
  const block = page?.blocks.find((each) => each.heading === heading);
  const { mcpServers, servers } = JSON.parse(block?.text ?? '{}');
  return (mcpServers ?? servers).countergraph;
}

describe('the configuration of clients', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    await service.apply({ context: 'demo', groups: [] });
    await service.addUser({ username: 'demo', token: 'demo' }, ['demo']);
  });
  afterAll(() => service.close());

  it.each([
    ['## Claude Code', /\$\{COUNTERGRAPH_TOKEN\}/],
    ['## VS Code', /\$\{input:countergraph-token\}/],
  ])('%s can sign in', async (heading, variable) => {
    const { type, url, headers } = entryUnder(heading);
    expect([type, new URL(url).pathname]).toEqual(['http', '/mcp']);
    expect(headers['Authorization']).toMatch(variable);
    const given = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(variable, 'demo'),
    ]);
    const client = await connectMcp(service.url, Object.fromEntries(given));
    expect(await client.ask('list_contexts')).toMatchObject({ username: 'demo' });
    const { tools } = await client.client.listTools();
    expect(tools).toHaveLength(7);
    await client.client.close();
  });
});
