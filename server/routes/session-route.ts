import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { tokenDigest } from '../../db/token-digest.ts';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Credentials, identify } from '../../resolvers/callers/identify.ts';
import { closeSession, openSession } from '../../resolvers/loaders/changes.ts';
import type { AnonymousScope, PageSession } from '../../resolvers/request-scope.ts';
import { identifySession } from '../graphql/graphql-scope.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { requireJson } from '../http/other-sites.ts';
import { receiveBody } from '../http/receive-body.ts';
import { send } from '../http/send-answer.ts';
import { cookieOf } from '../http/session-cookie.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import { buttonOf, type ProviderAtHome } from './provider-routes.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

/**
 * Creates the route of the sessions of the pages: POST begins one, GET says who is signed in, and
 * DELETE ends it.
 */
export function sessionRoute(
  service: Service,
  provider: ProviderAtHome | null,
): (exchange: Exchange) => Promise<void> {
  const seconds = service.settings.queryTimeoutSeconds;
  return async (exchange) => {
    const { request, method } = exchange;
    const work = workOf(service, provider, exchange);
    if (!work) throw methodNotAllowed(method);
    requireOwnPage(exchange);
    const isPost = method === 'POST';
    if (isPost) requireJson(request.headers['content-type']);
    const body = isPost ? await receiveBody(request, LIMITS.signInBytes) : Buffer.alloc(0);
    const answer = await withScope(service, exchange, seconds, (scope) => work(scope, body));
    if (!exchange.signal.aborted) await send(exchange, answer);
  };
}

/** Errors: `sessionElsewhere`, also where nothing says who ends a session. */
function requireOwnPage({ session, method }: Exchange): void {
  const isElsewhere = session?.sentBy === 'other page';
  const isUnknown = session?.sentBy === 'unknown' && method === 'DELETE';
  if (isElsewhere || isUnknown) throw serviceError('sessionElsewhere');
}

type Work = (scope: AnonymousScope, body: Buffer) => Promise<Answer>;

function workOf(
  { settings }: Service,
  provider: ProviderAtHome | null,
  exchange: Exchange,
): Work | null {
  const { method, session } = exchange;
  const isSecure = isOverTls(exchange, settings);
  switch (method) {
    case 'GET':
    case 'HEAD':
      return (scope) => tell(scope, session, provider);
    case 'POST':
      return (scope, body) => begin(scope, parseSignIn(body), { session, isSecure, settings });
    case 'DELETE':
      return (scope) => end(scope, session, { isSecure, provider });
    default:
      return null;
  }
}

const methodNotAllowed = (method: string) =>
  serviceError('methodNotAllowed', { method, methods: METHODS.join(', ') });

async function tell(
  scope: AnonymousScope,
  session: PageSession | null,
  at: ProviderAtHome | null,
): Promise<Answer> {
  const identity = session && (await identifySession(scope, session.claim));
  return answerOf({
    username: identity?.username ?? null,
    ...(identity?.shownName && { shownName: identity.shownName }),
    ...(at && { provider: buttonOf(at) }),
  });
}

const SignIn = z.strictObject({
  username: z.string(),
  token: z.string(),
  stay: z.boolean().default(false),
});

/** Errors: `unreadableBody`. */
function parseSignIn(body: Buffer): z.infer<typeof SignIn> {
  const parsed = SignIn.safeParse(jsonOf(body));
  if (parsed.success) return parsed.data;
  throw serviceError('unreadableBody', {
    'what is wrong':
      'it must be JSON such as {"username": "ada", "token": "…", "stay": false}, where stay may be left out',
  });
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

const DAY_SECONDS = 86_400;

type BeginOptions = {
  /** The session that the new one replaces; null: none. */
  readonly session: PageSession | null;
  readonly isSecure: boolean;
  readonly settings: Pick<Service['settings'], 'sessionHours'>;
};

/** Errors: those of `identify`; `readOnly` and other errors of the database. */
async function begin(
  scope: AnonymousScope,
  { username, token, stay }: Credentials & { readonly stay: boolean },
  { session: former, isSecure, settings }: BeginOptions,
): Promise<Answer> {
  const identity = await identify(scope, { username, token }, scope.directory.all());
  const { tokenDigest: stored } = identity;
  if (identity.nodeUrl !== scope.reads.primaryUrl || !stored) throw serviceError('readOnly');
  const seconds = stay ? LIMITS.stayDays * DAY_SECONDS : settings.sessionHours * 3600;
  const value = randomBytes(32).toString('base64url');
  const endsAt = await openSession(scope.reads, {
    session: { digest: tokenDigest(value), username, tokenDigest: stored, seconds },
    by: { user: username, from: scope.from },
  });
  if (endsAt === null) throw serviceError('invalidToken');
  await close(scope, former);
  const cookie = cookieOf(value, { isSecure, seconds: stay ? seconds : null });
  return answerOf({ username, endsAt: new Date(endsAt * 1000).toISOString() }, cookie);
}

type EndOptions = { readonly isSecure: boolean; readonly provider: ProviderAtHome | null };

async function end(
  scope: AnonymousScope,
  session: PageSession | null,
  { isSecure, provider: at }: EndOptions,
): Promise<Answer> {
  const closed = await close(scope, session);
  const isOfProvider = at !== null && closed?.issuer === at.settings.issuer;
  const signOutUrl = isOfProvider ? await at.provider.signOutUrl() : null;
  const cookie = cookieOf('', { isSecure, seconds: 0 });
  return answerOf({ username: null, ...(signOutUrl && { signOutUrl }) }, cookie);
}

/** Ends a session. What a proxy says does not end here. */
async function close(scope: AnonymousScope, session: PageSession | null) {
  if (session === null || !('session' in session.claim)) return null;
  return closeSession(scope.reads, { digest: session.claim.session, from: scope.from });
}

const answerOf = (body: object, cookie?: string): Answer => ({
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  },
  body: `${JSON.stringify(body)}\n`,
});

/** A page that was loaded over TLS says so with its origin, also where a proxy ends the TLS. */
const isOverTls = (
  { request: { headers } }: Exchange,
  { publicUrl }: Pick<Service['settings'], 'publicUrl'>,
): boolean => (publicUrl ?? headers.origin)?.startsWith('https:') ?? false;
