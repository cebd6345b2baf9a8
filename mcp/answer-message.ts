import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export type Message = {
  /** The protocol's headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
};

/** A placeholder address: the answer does not depend on it. */
const URL = 'http://localhost/mcp';

/**
 * Answers one message with a new server, so no state is kept between requests. The answer is always
 * a single JSON text because no tool sends anything before its result.
 */
export async function answerMessage(
  { headers, body, signal, onError }: Message,
  createServer: () => Server,
): Promise<Response> {
  const request = new Request(URL, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: BOTH_TYPES },
    signal,
  });
  if (!(await isLegacyRequest(request, body))) {
    // A client that subscribes to changes learns immediately that there will be none.
    const options = { legacy: 'reject', maxSubscriptions: 1, keepAliveMs: 0 } as const;
    const handler = createMcpHandler(createServer, { ...options, onerror: onError });
    return handler.fetch(request, { parsedBody: body });
  }
  const server = createServer();
  server.onerror = onError;
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/**
 * The transport requires the client to accept both types, even where it answers with JSON alone.
 */
const BOTH_TYPES = 'application/json, text/event-stream';
