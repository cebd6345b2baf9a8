import type { ServiceError } from '../../domain/errors.ts';
import { renderError } from '../../rest/handle-request.ts';
import { GRAPHQL_PATH } from './graphql-path.ts';
import type { Answer, Exchange } from './http-exchange.ts';
import { MCP_PATH } from './mcp-path.ts';
import { mcpRefusal } from './mcp-refusal.ts';

const GRAPHQL_TYPE = 'application/graphql-response+json';

/** The media type of an error of GraphQL, to a request that accepts so. */
export const graphqlErrorType = (accept: string | undefined): string =>
  accept?.includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : 'application/json';

/** An error in the shape that the request's surface has for it. */
export function refusalOf(
  { path, request }: Pick<Exchange, 'path' | 'request'>,
  error: ServiceError,
): Answer {
  if (path === MCP_PATH) return mcpRefusal(error);
  const { status, headers, body } = renderError(error);
  if (path !== GRAPHQL_PATH) return { status, headers, body };
  const { message, code } = error;
  const type = graphqlErrorType(request.headers.accept);
  return {
    status,
    headers: {
      ...headers,
      'content-type': `${type}; charset=utf-8`,
    },
    body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
  };
}
