import { serviceError } from '../../domain/errors.ts';
import { answerMessage } from '../../mcp/answer-message.ts';
import { createMcpServer } from '../../mcp/mcp-server.ts';
import type { AnonymousScope, RequestScope } from '../../resolvers/request-scope.ts';
import { openGraphQLScope } from '../graphql/graphql-scope.ts';
import { headersOf } from '../http/headers-of.ts';
import { type Answer, type Exchange, readBody, send } from '../http/http-exchange.ts';
import { requireJson } from '../http/other-sites.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { programVersion } from '../telemetry/program-version.ts';
import { askGraph } from './ask-graph.ts';
import { requireKnownOrigin } from './known-origin.ts';

/**
 * Creates the route of the Model Context Protocol over streamable HTTP, without sessions: a POST is
 * one message. Every message needs credentials, and the limits of GraphQL apply to the queries of
 * tools.
 */
export function mcpRoute(service: Service): (exchange: Exchange) => Promise<void> {
  const { settings, metrics } = service;
  const version = programVersion();
  return async (exchange) => {
    const { request, method, signal } = exchange;
    // There are no streams to GET, and no sessions to DELETE.
    if (method !== 'POST') throw serviceError('methodNotAllowed', { method, methods: 'POST' });
    requireKnownOrigin(request.headers.origin, settings.corsOrigins);
    requireJson(request.headers['content-type']);
    const seconds = settings.queryTimeoutSeconds;
    const mayAsk = () =>
      withScope(service, exchange, seconds, (anonymous) => signedIn(exchange, anonymous));
    const body = parseMessage(await readBody(request, settings.graphqlBodyBytes, mayAsk));
    const onError = (err: Error) => exchange.log.debug({ err }, 'MCP');
    const message = { headers: protocolHeaders(exchange), body, signal, onError };
    const answer = await withScope(service, exchange, seconds, async (anonymous) => {
      const scope = await signedIn(exchange, anonymous);
      const graph = askGraph(service, scope, exchange);
      const servedBy = {
        version,
        onCall(tool: string) {
          exchange.current.operation = `mcp_${tool}`;
        },
        onDefect(err: unknown) {
          metrics.error('internal');
          exchange.log.error({ err }, 'a tool failed');
        },
      };
      return toAnswer(await answerMessage(message, () => createMcpServer(graph, servedBy)));
    });
    if (!signal.aborted) await send(exchange, answer);
  };
}

/** Opens the scope of a caller who is signed in. Error: `invalidToken`, also without credentials. */
async function signedIn({ request }: Exchange, anonymous: AnonymousScope): Promise<RequestScope> {
  const scope = await openGraphQLScope(headersOf(request), anonymous);
  if (scope.identity === null) throw serviceError('invalidToken');
  return scope;
}

/** Parses a body. Errors: `unreadableBody`, `mcpBatch`. */
function parseMessage(body: Buffer): unknown {
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    throw serviceError('unreadableBody', { 'what is wrong': 'it is not JSON' });
  }
  if (Array.isArray(message)) throw serviceError('mcpBatch');
  return message;
}

/** Returns the headers of a request that the protocol uses, such as `Mcp-Protocol-Version`. */
const protocolHeaders = ({ request }: Exchange): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      name.startsWith('mcp-') ? [[name, String(value)]] : [],
    ),
  );

async function toAnswer(response: Response): Promise<Answer> {
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    headers: { ...(type !== null && { 'content-type': type }), 'cache-control': 'no-store' },
    body: await response.text(),
  };
}
