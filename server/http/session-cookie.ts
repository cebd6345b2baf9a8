import type { IncomingMessage } from 'node:http';
import { tokenDigest } from '../../db/token-digest.ts';
import type { PageSession } from '../../resolvers/request-scope.ts';

const NAME = 'countergraph_session';

/** What a cookie of a session may hold: 256 bits in base64url. */
const VALUE = /(?:^|;) *countergraph_session=([A-Za-z0-9_-]{43})(?=;|$)/;

/** Reads the session that a request names. Call before anything changes its `host`. */
export function readSession(request: IncomingMessage): PageSession | null {
  const [, value] = VALUE.exec(request.headers.cookie ?? '') ?? [];
  return value === undefined ? null : { digest: tokenDigest(value), sentBy: senderOf(request) };
}

/**
 * Returns who sent a request according to the browser. Without TLS it sends no Fetch Metadata, and
 * names the origin with everything but GET and HEAD.
 */
function senderOf({ headers, method }: IncomingMessage): PageSession['sentBy'] {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return 'own page';
  // The user has typed or bookmarked the address.
  if (site === 'none') return method === 'GET' || method === 'HEAD' ? 'own page' : 'other page';
  if (site !== undefined) return 'other page';
  const { origin, host } = headers;
  if (origin === undefined) return 'unknown';
  return URL.canParse(origin) && new URL(origin).host === host ? 'own page' : 'other page';
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
