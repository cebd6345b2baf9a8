import type { ServiceError } from '../../domain/errors.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { TextAnswer } from '../../rest/json-answer.ts';
import { GRAPHQL_PATH } from './graphql-path.ts';
import type { Exchange } from './http-exchange.ts';
import { MCP_PATH } from './mcp-path.ts';
import { mcpRefusal } from './mcp-refusal.ts';

const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Returns the media type of a GraphQL error for an `accept` header. */
export const graphqlErrorType = (accept: string | undefined): string =>
  accept?.includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : 'application/json';

/** Renders an error in the form of the request's API: MCP, GraphQL or REST. */
export function refusalOf(
  { path, request }: Pick<Exchange, 'path' | 'request'>,
  error: ServiceError,
): TextAnswer {
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
