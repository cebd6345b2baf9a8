import { createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';

/** A sign-in that a browser has begun at the provider, and what the provider's answer must match. */
export type SignInAttempt = {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly codeVerifier: string;
  /** The page to go to afterwards: a full address of this server. */
  readonly returnUrl: string;
};

/** A new attempt, and the cookie that holds it. */
export type BegunAttempt = SignInAttempt & { readonly cookie: string };

type AttemptOptions = {
  /** The address of the dashboard in a browser. */
  readonly publicUrl: string;
  /** Epoch seconds. */
  readonly now: number;
};

/**
 * Begins a sign-in. Its cookie is all that is kept, so the answer may reach another process.
 * Nothing needs to be signed: state, nonce and verifier are digests of the whole cookie, which has
 * 256 random bits, so that another cookie does not fit the state that the provider returns.
 */
export function beginAttempt(returnTo: string | null, options: AttemptOptions): BegunAttempt {
  const random = randomBytes(32).toString('base64url');
  const page = Buffer.from(ownAddress(returnTo, options.publicUrl)).toString('base64url');
  const value = `${random}.${Math.floor(options.now)}.${page}`;
  const cookie = cookieOf(value, options, LIMITS.signInSeconds);
  return { ...attemptOf(value, options), cookie };
}

/** Returns the attempt in the cookies of a request; null: there is none, or it is too old. */
export function readAttempt(
  cookies: string | undefined,
  options: AttemptOptions,
): SignInAttempt | null {
  const name = nameOf(options);
  const given = cookies?.split(';').map((cookie) => cookie.trim());
  const value = given?.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  const [, startedAt] = /^[\w-]{43}\.(\d{1,12})\.[\w-]{1,4000}$/.exec(value ?? '') ?? [];
  if (value === undefined || startedAt === undefined) return null;
  const isOver = options.now - Number(startedAt) > LIMITS.signInSeconds;
  return isOver ? null : attemptOf(value, options);
}

/** Returns a `Set-Cookie` header that ends any attempt of the browser. */
export const endAttempt = (options: Pick<AttemptOptions, 'publicUrl'>): string =>
  cookieOf('', options, 0);

function attemptOf(value: string, { publicUrl }: AttemptOptions): SignInAttempt {
  const digest = (purpose: string) =>
    createHash('sha256').update(`${purpose} ${value}`).digest('base64url');
  const page = Buffer.from(value.slice(value.lastIndexOf('.') + 1), 'base64url').toString();
  return {
    state: digest('state'),
    nonce: digest('nonce'),
    codeVerifier: digest('verifier'),
    returnUrl: ownAddress(page, publicUrl),
  };
}

/** Returns the address of a page of this server; that of the dashboard in place of any other. */
export function ownAddress(page: string | null, publicUrl: string): string {
  const home = `${publicUrl}/`;
  if (page === null || page.length > LIMITS.returnCharacters || !URL.canParse(page, home)) {
    return home;
  }
  const { protocol, origin, pathname, search, hash } = new URL(page, home);
  // The origin of a `blob:` address is that of its page.
  const isOwn = origin === new URL(home).origin && protocol === new URL(home).protocol;
  return isOwn ? `${origin}${pathname}${search}${hash}` : home;
}

const isSecure = ({ publicUrl }: Pick<AttemptOptions, 'publicUrl'>): boolean =>
  publicUrl.startsWith('https:');

/** No other host of the site can set a cookie with this prefix, which needs TLS. */
const nameOf = (options: Pick<AttemptOptions, 'publicUrl'>): string =>
  `${isSecure(options) ? '__Host-' : ''}countergraph_sign_in`;

/** Lax: the browser comes back from another site. */
const cookieOf = (
  value: string,
  options: Pick<AttemptOptions, 'publicUrl'>,
  seconds: number,
): string =>
  `${nameOf(options)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}` +
  (isSecure(options) ? '; Secure' : '');
