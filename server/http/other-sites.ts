import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../domain/errors.ts';
import type { Exchange } from './http-exchange.ts';

/** Headers that a page of another site cannot send unless CORS allows it: a browser asks first. */
const UNFORGEABLE = [
  'x-username',
  'graphql-require-preflight',
  'apollo-require-preflight',
] as const;

/** Types of bodies that a form, an image or a script of another site cannot send either. */
const UNFORGEABLE_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/graphql+json',
]);

/** Charsets that these types may name (JSON has none, and is always UTF-8: RFC 8259). */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Refuses GraphQL requests that a page of another site can make a browser send by itself. This
 * server uses no ambient credentials (a 401 asks for Bearer only), so such a request has none. The
 * check matters where a proxy in front adds credentials of its own, or asks for them. A GET needs
 * none of the headers above, because tools send it with nothing but the query: it is refused only
 * if the browser reports that another site caused it.
 *
 * Returns the content type in the form that Yoga reads. Errors: `otherSite`,
 * `unsupportedGraphQLType`.
 */
export function requireOwnSite({ method, request }: Exchange): string | undefined {
  const { headers } = request;
  const given = headers['content-type'];
  const isMeant = isUnforgeable(headers);
  if (method !== 'POST') {
    if (!isMeant && isOfOtherSite(headers)) throw serviceError('otherSite');
    return given;
  }
  const { type, charset } = parseContentType(given);
  const isTaken = UNFORGEABLE_TYPES.has(type) || (isMeant && type === FORM_TYPE);
  if (isTaken && isUtf8(charset)) return type;
  throw serviceError('unsupportedGraphQLType', { type: given ?? 'none' });
}

/** Refuses content types other than JSON in UTF-8. Error: `unsupportedGraphQLType`. */
export function requireJson(given: string | undefined): void {
  const { type, charset } = parseContentType(given);
  if (type === 'application/json' && isUtf8(charset)) return;
  throw serviceError('unsupportedGraphQLType', { type: given ?? 'none' });
}

const isUtf8 = (charset: string | null): boolean => charset === null || CHARSETS.has(charset);

/**
 * Refuses a REST request whose credentials, in its `Authorization` header, a browser may have added
 * by itself because a page of another site made it send the request. Programs other than browsers
 * send forms, too, but name no origin with them. Error: `otherSite`.
 */
export function requireOwnCredentials({ method, request: { headers } }: Exchange): void {
  if (isUnforgeable(headers)) return;
  const isPost = method === 'POST';
  if (isPost && UNFORGEABLE_TYPES.has(parseContentType(headers['content-type']).type)) return;
  // A browser without Fetch Metadata at least names the origin of a POST.
  const isUnknown = isPost && headers.origin !== undefined && !headers['sec-fetch-site'];
  if (isUnknown || isOfOtherSite(headers)) throw serviceError('otherSite');
}

const isUnforgeable = (headers: IncomingHttpHeaders): boolean =>
  isBearer(headers.authorization) || UNFORGEABLE.some((name) => headers[name] !== undefined);

/** Bearer only: a browser adds Basic, Digest and Negotiate by itself once it was asked for them. */
const isBearer = (authorization = ''): boolean => /^bearer /i.test(authorization);

/** Reads Fetch Metadata: no script can set or remove it. Programs other than browsers send none. */
const isOfOtherSite = (headers: IncomingHttpHeaders): boolean =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));

/** Returns type and charset in lower case: both are case-insensitive (RFC 9110, 8.3). */
function parseContentType(given = ''): { type: string; charset: string | null } {
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return { type, charset: charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1') ?? null };
}

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

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses unknown origins, as the protocol demands: if an attacker points the name of a page at
 * this machine (DNS rebinding), the browser takes the page for one of our own origin. Known origins
 * are those that CORS allows, and pages of the machine that the browser itself runs on. Programs
 * other than browsers name no origin. Error: `unknownOrigin`.
 */
export function requireKnownOrigin(origin: string | undefined, known: readonly string[]): void {
  if (origin === undefined || known.includes(origin) || isLoopback(origin)) return;
  throw serviceError('unknownOrigin', { origin });
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && LOOPBACK.has(url.hostname);
}
