import type { IncomingMessage } from 'node:http';
import { tokenDigest } from '../../db/token-digest.ts';
import { isUsername } from '../../domain/callers/username.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isName } from '../../domain/text/storable-text.ts';
import type { PageSession } from '../../resolvers/request-scope.ts';
import type { Settings } from '../settings/settings.ts';

const NAME = 'countergraph_session';

/** What a cookie of a session may hold: 256 bits in base64url. */
const VALUE = /(?:^|;) *countergraph_session=([A-Za-z0-9_-]{43})(?=;|$)/;

type PageSettings = Pick<Settings, 'publicUrl' | 'oidc' | 'proxySignIn'>;

/**
 * Returns a function that reads who uses the page that sent a request. Call that before anything
 * changes the `host` of the request. isTrusted: whether an address is that of a proxy.
 */
export function pageSessionReader(
  { publicUrl, oidc, proxySignIn }: PageSettings,
  isTrusted: (address: string, hop: number) => boolean,
): (request: IncomingMessage) => PageSession | null {
  const ownOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  const issuer = oidc?.issuer ?? null;
  return (request) => {
    const { remoteAddress = '' } = request.socket;
    const vouched = proxySignIn && isTrusted(remoteAddress, 0) && vouchedIn(request, proxySignIn);
    const sentBy = senderOf(request, ownOrigin);
    // Whoever the proxy names has signed in there since any session began.
    if (vouched) return { claim: vouched, sentBy };
    const [, value] = VALUE.exec(request.headers.cookie ?? '') ?? [];
    if (value === undefined) return null;
    return { claim: { session: tokenDigest(value), issuer }, sentBy };
  };
}

/** Reads the headers of a proxy; null: they name no user. */
function vouchedIn(
  request: IncomingMessage,
  { userHeader, groupsHeader }: NonNullable<PageSettings['proxySignIn']>,
) {
  const vouched = onlyLine(request, userHeader);
  const groups = groupsHeader === null ? '' : onlyLine(request, groupsHeader);
  if (vouched === null || groups === null || !isUsername(vouched)) return null;
  const names = groups.split(',').map((name) => name.trim());
  return { vouched, groups: names.filter(isName).slice(0, LIMITS.groupsOfPerson) };
}

/**
 * Returns the text of a header; empty: it is missing. A header in several lines is none (null): the
 * proxy may have added one to another that its caller had sent. Proxies send UTF-8, which Node
 * takes for Latin-1.
 */
function onlyLine({ headersDistinct }: IncomingMessage, name: string): string | null {
  const [line = '', ...more] = headersDistinct[name] ?? [];
  const text = Buffer.from(line, 'latin1').toString();
  return more.length > 0 || text.includes('\ufffd') ? null : text.trim();
}

/**
 * Returns who sent a request according to the browser. Without TLS it sends no Fetch Metadata, and
 * names the origin with everything but GET and HEAD. ownOrigin null: that of the `host`.
 */
function senderOf(
  { headers, method }: IncomingMessage,
  ownOrigin: string | null,
): PageSession['sentBy'] {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return 'own page';
  // The user has typed or bookmarked the address.
  if (site === 'none') return method === 'GET' || method === 'HEAD' ? 'own page' : 'other page';
  if (site !== undefined) return 'other page';
  const { origin, host } = headers;
  if (origin === undefined) return 'unknown';
  if (ownOrigin !== null) return origin === ownOrigin ? 'own page' : 'other page';
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
