import type { IncomingHttpHeaders } from 'node:http';
import { serviceError } from '../../domain/errors.ts';
import type { Exchange } from './http-exchange.ts';

/** A page of another site cannot send these unless CORS lets it: a browser asks us first. */
const UNFORGEABLE = [
  'x-username',
  'graphql-require-preflight',
  'apollo-require-preflight',
] as const;

/** Nor can a form, an image or a script send a body of these types. */
const UNFORGEABLE_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/graphql+json',
]);

/** Of these, a charset is the body's own business (JSON has none, and is UTF-8: RFC 8259). */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * What a page of another site can make a browser send by itself runs no GraphQL. No credentials are
 * ambient here (a 401 asks for Bearer only), so such a request is a stranger's; this holds where a
 * proxy in front adds credentials of its own, or asks for them. GET needs no permission, and tools
 * send it with nothing but the query: it is refused only where the browser says that another site
 * is behind it.
 *
 * Errors: `otherSite`, `unsupportedGraphQLType`. Gives the content type as Yoga wants to read it.
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
  if (isTaken && (charset === null || CHARSETS.has(charset))) return type;
  throw serviceError('unsupportedGraphQLType', { type: given ?? 'none' });
}

/**
 * The same for the credentials of a REST request that come in its `Authorization` header: a browser
 * may have added them by itself, to a request that a page of another site made it send. Programs
 * that are no browsers send forms too, but name no origin with them. Error: `otherSite`.
 */
export function requireOwnCredentials({ method, request: { headers } }: Exchange): void {
  if (isUnforgeable(headers)) return;
  const isPost = method === 'POST';
  if (isPost && UNFORGEABLE_TYPES.has(parseContentType(headers['content-type']).type)) return;
  // A browser without Fetch Metadata names the origin of a POST at least.
  const isUnknown = isPost && headers.origin !== undefined && !headers['sec-fetch-site'];
  if (isUnknown || isOfOtherSite(headers)) throw serviceError('otherSite');
}

const isUnforgeable = (headers: IncomingHttpHeaders): boolean =>
  isBearer(headers.authorization) || UNFORGEABLE.some((name) => headers[name] !== undefined);

/** A browser adds Basic, Digest and Negotiate by itself where it was once asked for them. */
const isBearer = (authorization = ''): boolean => /^bearer /i.test(authorization);

/** Fetch Metadata: no script can set or remove it. Programs that are no browsers send none. */
const isOfOtherSite = (headers: IncomingHttpHeaders): boolean =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));

/** Type and charset in lower case: neither depends on it (RFC 9110, 8.3). */
function parseContentType(given = ''): { type: string; charset: string | null } {
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return { type, charset: charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1') ?? null };
}
