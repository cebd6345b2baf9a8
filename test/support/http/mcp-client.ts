import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Credentials } from '../lab/service.ts';

export const bearerOf = ({ username, token }: Credentials): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'x-username': username,
});

export type ToolResult<Content> = {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Content;
};

export type McpClient = Awaited<ReturnType<typeof connectMcp>>;

/**
 * The official client. It checks each answer against the schema that the tool declares. `legacy`
 * begins with `initialize`; otherwise the client uses the pinned revision, without a handshake.
 */
export async function connectMcp(
  url: string,
  headers: Readonly<Record<string, string>>,
  mode: 'legacy' | { readonly pin: string } = 'legacy',
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  /** Calls a tool, which may fail. */
  async function call<Content = Record<string, unknown>>(
    name: string,
    given: Readonly<Record<string, unknown>> = {},
  ): Promise<ToolResult<Content>> {
    const result = await client.callTool({ name, arguments: given });
    const first = result.content[0];
    if (first?.type !== 'text' || result.content.length > 1) throw new Error('not one text');
    // The tests check its shape.
    const structured = result.structuredContent as Content;
    return { isError: result.isError === true, text: first.text, structured };
  }
  return {
    client,
    call,
    /** The result of a call that must succeed. */
    async ask<Content = Record<string, unknown>>(
      name: string,
      given: Readonly<Record<string, unknown>> = {},
    ): Promise<Content> {
      const { isError, text, structured } = await call<Content>(name, given);
      if (isError) throw new Error(text);
      return structured;
    },
    /** The error message of a call that must fail. */
    async fault(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { isError, text } = await call(name, given);
      if (!isError) throw new Error(`not an error: ${text}`);
      return text;
    },
  };
}
