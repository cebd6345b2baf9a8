import type { ErrorKind, ServiceError } from '../../domain/errors.ts';
import { UPLOAD_PATH } from '../../rest/endpoints/upload.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { TextAnswer } from '../../rest/json-answer.ts';
import type { Exchange } from './http-exchange.ts';
import { GRAPHQL_PATH, MCP_PATH, SESSION_PATH } from './paths.ts';

const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Returns the media type of a GraphQL error for an `accept` header. */
export const graphqlErrorType = (accept: string | undefined): string =>
  accept?.includes(GRAPHQL_TYPE) ? GRAPHQL_TYPE : 'application/json';

/** Renders an error in the form of the request's API: MCP, GraphQL (sessions, too) or REST. */
export function refusalOf(
  { path, request }: Pick<Exchange, 'path' | 'request'>,
  error: ServiceError,
): TextAnswer {
  if (path === MCP_PATH) return mcpRefusal(error);
  const { status, headers, body } = renderError(error, path === UPLOAD_PATH ? ['POST'] : undefined);
  if (path !== GRAPHQL_PATH && path !== SESSION_PATH) return { status, headers, body };
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

/** JSON-RPC's own codes for some errors; all others have the first code reserved for servers. */
const CODES: Partial<Record<ErrorKind, number>> = {
  unreadableBody: -32_700,
  mcpBatch: -32_600,
  internal: -32_603,
};
const OTHER_CODE = -32_000;

/** Renders an error of a whole request as a JSON-RPC message. */
function mcpRefusal(error: ServiceError): TextAnswer {
  const { status, headers } = renderError(error, ['POST']);
  const { message, kind, code } = error;
  const told = { code: CODES[kind] ?? OTHER_CODE, message, data: { code } };
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', error: told, id: null }) };
}
