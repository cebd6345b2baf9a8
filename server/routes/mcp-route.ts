import { parse } from 'graphql';
import { serviceError } from '../../domain/errors.ts';
import { textOf } from '../../domain/text/long-text.ts';
import { answerMessage } from '../../mcp/answer-message.ts';
import { type Graph, GraphFault } from '../../mcp/graph.ts';
import { createMcpServer } from '../../mcp/mcp-server.ts';
import type { AnonymousScope, RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledOperation } from '../../schema/compiled/compile-operation.ts';
import { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { readCredentials } from '../../schema/documents/credentials.ts';
import { requestFault } from '../../schema/limits/request-fault.ts';
import { schema } from '../../schema/schema.ts';
import { openTokenScope } from '../graphql/graphql-scope.ts';
import { limitsOf } from '../graphql/guard-graphql.ts';
import { noteErrors } from '../graphql/observe-graphql.ts';
import { type OperationResult, runOperation } from '../graphql/run-operation.ts';
import { type Answer, type Exchange, headersOf } from '../http/http-exchange.ts';
import { requireJson, requireKnownOrigin } from '../http/other-sites.ts';
import { receiveBody } from '../http/receive-body.ts';
import { send } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { programVersion } from '../telemetry/program-version.ts';

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
    const body = parseMessage(await receiveBody(request, settings.graphqlBodyBytes, mayAsk));
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
  const scope = await openTokenScope(readCredentials(headersOf(request)), anonymous);
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

/** The documents of the tools, which are few and fixed. */
const compiled = new CompiledQueries(schema, 0);
const operations = new Map<string, CompiledOperation>();

function operationOf(text: string): CompiledOperation {
  const known = operations.get(text);
  if (known) return known;
  const operation = compiled.compile({ document: parse(text), operationName: null });
  operations.set(text, operation);
  return operation;
}

/** Runs documents for one caller within the limits of a GraphQL request, in one snapshot. */
function askGraph(service: Service, scope: RequestScope, exchange: Exchange): Graph {
  const { settings } = service;
  const limits = limitsOf(settings);
  const run = async (text: string, variables: Variables): Promise<OperationResult> => {
    const operation = operationOf(text);
    const { document } = operation;
    const fault = requestFault({ document, operationName: null, variables }, limits);
    if (fault) return { data: null, errors: [fault] };
    return runOperation(scope, settings, { operation, variables });
  };
  return {
    async ask<Data>(text: string, variables: Readonly<Record<string, unknown>>): Promise<Data> {
      const given = Object.entries(variables).filter(([, value]) => value !== undefined);
      const result = await run(text, Object.fromEntries(given));
      noteErrors(service, { anonymous: scope, exchange }, result);
      const { data, errors } = result;
      const first = errors[0];
      // A tool asks for a hundred objects at most.
      if (!first && data !== null) return JSON.parse(textOf(data)) as Data;
      const messages = new Set(errors.map(({ message }) => message));
      throw new GraphFault([...messages].join('; '), String(first?.extensions['code']));
    },
  };
}
