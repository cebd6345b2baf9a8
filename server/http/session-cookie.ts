import type { IncomingMessage } from 'node:http';
import { tokenDigest } from '../../db/token-digest.ts';
import type { PageSession } from '../../resolvers/request-scope.ts';

const NAME = 'countergraph_session';

/** What a cookie of a session may hold: 256 bits in base64url. */
const VALUE = /(?:^|;) *countergraph_session=([A-Za-z0-9_-]{43})(?=;|$)/;

/** Reads the session that a request names. Call before anything changes its `host`. */
export function readSession({ headers, method }: IncomingMessage): PageSession | null {
  const [, value] = VALUE.exec(headers.cookie ?? '') ?? [];
  if (value === undefined) return null;
  return { digest: tokenDigest(value), isOwnPage: isOwnPage({ headers, method }) };
}

/**
 * Whether a page of this server sent a request, or a user who opened an address, according to the
 * browser. One without Fetch Metadata names the origin with a POST.
 */
function isOwnPage({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'none') return method === 'GET' || method === 'HEAD';
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

type CookieOptions = {
  readonly isSecure: boolean;
  /** How long the browser keeps it; null: until it is closed. */
  readonly seconds: number | null;
};

/** Returns a `Set-Cookie` header. */
export const cookieOf = (value: string, { isSecure, seconds }: CookieOptions): string =>
  `${NAME}=${value}; Path=/; HttpOnly; SameSite=Strict` +
  (isSecure ? '; Secure' : '') +
  (seconds === null ? '' : `; Max-Age=${seconds}`);
