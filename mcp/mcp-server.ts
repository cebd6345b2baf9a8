import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolDescription,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ERRORS } from '../domain/errors.ts';
import { type Graph, GraphFault } from './graph.ts';
import type { Tool } from './tool.ts';
import { ToolFault } from './tool-fault.ts';
import { TOOLS } from './tools.ts';

/**
 * The revisions of the protocol that are spoken, the preferred one of those with a handshake
 * first. None of them has batches: one request is one question, as in GraphQL.
 */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2026-07-28'];

const INSTRUCTIONS =
  'Exact counters of network traffic. Begin with list_contexts, then list_groups: other tools ' +
  'take the names that these tell. A window that is left out is the current day until now; ' +
  '`{"recentSeconds": 3600}` is the newest hour that has data. Answers are small: ask for more ' +
  'with maxItems, first or maxPoints, or ask a narrower question. Everything is read-only.';

/** As short as possible, as a model may have to read it. Its dialect is the protocol's own. */
function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ToolDescription['inputSchema'] {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    // Not every model's interface knows references, and some clients hand arguments on to it.
    reused: io === 'input' ? 'inline' : 'ref',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // JSON by its making, which zod's type does not say.
  return described as ToolDescription['inputSchema'];
}

/** The tools as clients are told of them. */
export const DESCRIPTIONS = TOOLS.map(({ name, title, description, input, output }) => ({
  name,
  title,
  description,
  inputSchema: toJsonSchema(input, 'input'),
  outputSchema: toJsonSchema(output, 'output'),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
}));

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

export type ServedBy = {
  readonly version: string;
  /** Called with the name of the tool before it is called. */
  readonly onCall: (tool: string) => void;
  /** Takes what a tool failed of that nobody foresaw: the caller is not told. */
  readonly onDefect: (error: unknown) => void;
};

/** The protocol's server for one message of one caller, for whom `graph` answers. */
export function createMcpServer(graph: Graph, { version, onCall, onDefect }: ServedBy): Server {
  const server = new Server(
    { name: 'countergraph', title: 'countergraph', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: PROTOCOL_VERSIONS,
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: DESCRIPTIONS }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = BY_NAME.get(params.name);
    if (!tool) throw noTool(params.name);
    onCall(tool.name);
    return callTool(tool, params.arguments, graph).catch((error) => {
      onDefect(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, ERRORS.internal.message);
    });
  });
  return server;
}

const noTool = (name: string): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${JSON.stringify(name)}; the tools are ${[...BY_NAME.keys()].join(', ')}`,
  );

/** What a model can mend is a result of the tool, as the protocol demands, and not its failure. */
async function callTool(tool: Tool, given: unknown, graph: Graph) {
  try {
    const { structured, text } = await tool.call(given, graph);
    return {
      content: [{ type: 'text' as const, text }],
      structuredContent: { ...structured },
    };
  } catch (error) {
    if (error instanceof ToolFault) return faultResult(error.message);
    if (error instanceof GraphFault) return faultResult(`${error.code}: ${error.message}`);
    throw error;
  }
}

const faultResult = (message: string) => ({
  content: [{ type: 'text' as const, text: message }],
  isError: true,
});
