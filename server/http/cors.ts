import type { IncomingMessage, ServerResponse } from 'node:http';

const ALLOWED_HEADERS =
  'authorization, content-encoding, content-type, graphql-require-preflight, if-none-match, mcp-method, mcp-name, mcp-protocol-version, x-username';

const EXPOSED_HEADERS = 'etag, retry-after, x-available-window, x-request-id';

/** Allows browsers to call from the configured origins only. True: it answered a preflight. */
export function answerCors(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  origins: readonly string[],
): boolean {
  const { origin } = request.headers;
  if (origins.length > 0) response.appendHeader('vary', 'Origin');
  if (!origin || !origins.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method'])
    return false;
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '600',
  });
  response.end();
  return true;
}
