import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export type Message = {
  /** The protocol's headers, by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as parsed. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly onError: (error: Error) => void;
};

/** No address of ours: nothing of the answer depends on it. */
const URL = 'http://localhost/mcp';

/**
 * The answer to one message, by a server of its own: nothing is kept between two requests. It is
 * always one JSON text, as no tool has anything to say before its result.
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
    // Who listens for changes is told at once that there will be none.
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

/** The transport demands that both are accepted, also where it answers with the first alone. */
const BOTH_TYPES = 'application/json, text/event-stream';
