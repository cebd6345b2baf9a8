import { randomBytes } from 'node:crypto';
import { tokenDigest } from '../../db/token-digest.ts';
import { ServiceError, serviceError } from '../../domain/errors.ts';
import { openPersonSession } from '../../resolvers/loaders/changes.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { PROVIDER_CALLBACK_PATH, PROVIDER_PATH } from '../http/paths.ts';
import { send } from '../http/send-answer.ts';
import { cookieOf } from '../http/session-cookie.ts';
import { faultPage, signedInPage } from '../pages/sign-in-page.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { OidcSettings } from '../settings/sign-in-settings.ts';
import { Provider } from '../sign-in/provider.ts';
import { beginAttempt, endAttempt, readAttempt } from '../sign-in/sign-in-attempt.ts';
import { SIGN_IN_FAULTS, SignInFault } from '../sign-in/sign-in-fault.ts';
import type { Route } from './respond.ts';

/** An identity provider, and the address of the dashboard, without which there is none. */
export type ProviderAtHome = {
  readonly settings: OidcSettings;
  readonly provider: Provider;
  readonly publicUrl: string;
};

/** Opens the identity provider of a server; null: it has none. */
export function openProvider({ oidc, publicUrl }: Service['settings']): ProviderAtHome | null {
  if (oidc === null || publicUrl === null) return null;
  const addresses = { home: `${publicUrl}/`, callback: publicUrl + PROVIDER_CALLBACK_PATH };
  return { settings: oidc, provider: new Provider(oidc, addresses), publicUrl };
}

/** What a button to sign in there says, and where it leads. */
export const buttonOf = ({ settings, publicUrl }: ProviderAtHome) => ({
  name: settings.name,
  url: publicUrl + PROVIDER_PATH,
});

/** Creates the routes of signing in at an identity provider: there, and back. */
export function providerRoutes(service: Service, at: ProviderAtHome | null): Route[] {
  if (at === null) return [];
  return [
    { name: PROVIDER_PATH, answer: pageRoute(service, at, begin) },
    { name: PROVIDER_CALLBACK_PATH, answer: pageRoute(service, at, finish) },
  ];
}

type Work = (service: Service, at: ProviderAtHome, exchange: Exchange) => Promise<Answer>;

/** Returns a route that tells people what is wrong on a page. */
function pageRoute(service: Service, at: ProviderAtHome, work: Work): Route['answer'] {
  return async (exchange) => {
    const { method } = exchange;
    if (method !== 'GET') {
      throw serviceError('methodNotAllowed', { method, methods: 'GET' });
    }
    const answer = await work(service, at, exchange).catch((error: unknown) =>
      faultAnswer(service, at, { exchange, error }),
    );
    if (!exchange.signal.aborted) await send(exchange, answer);
  };
}

const begin: Work = async (service, { provider, publicUrl }, exchange) => {
  const { now } = service.arrive(exchange.arrivedAt);
  const attempt = beginAttempt(exchange.query.get('return'), { publicUrl, now });
  const url = await provider.begin(attempt);
  setCookie(exchange, attempt.cookie);
  return { status: 303, headers: { location: url.href }, body: '' };
};

const finish: Work = async (service, { provider, publicUrl }, exchange) => {
  const { now } = service.arrive(exchange.arrivedAt);
  const attempt = readAttempt(exchange.request.headers.cookie, { publicUrl, now });
  if (attempt === null || exchange.query.get('state') !== attempt.state) {
    throw new SignInFault('stale', 'the browser has begun no such sign-in, or long ago');
  }
  const { groups, ...person } = await provider.finish(exchange.query, attempt);
  const { sessionHours, queryTimeoutSeconds } = service.settings;
  const value = randomBytes(32).toString('base64url');
  const session = { digest: tokenDigest(value), groups, seconds: sessionHours * 3600 };
  const username = await withScope(service, exchange, queryTimeoutSeconds, (scope) =>
    openPersonSession(scope.reads, { person, session, from: scope.from }),
  );
  exchange.current.user = username;
  const isSecure = publicUrl.startsWith('https:');
  setCookie(exchange, endAttempt({ publicUrl }));
  setCookie(exchange, cookieOf(value, { isSecure, seconds: null }));
  return signedInPage(attempt.returnUrl);
};

const setCookie = ({ response }: Exchange, cookie: string): void => {
  response.appendHeader('set-cookie', cookie);
};

type Failure = { readonly exchange: Exchange; readonly error: unknown };

/** What the audit calls those who failed to sign in at a provider: it did not say who they are. */
const SOMEBODY = '(identity provider)';

function faultAnswer(
  { metrics, failedSignIns }: Service,
  { settings, publicUrl }: ProviderAtHome,
  { exchange, error }: Failure,
): Answer {
  const home = `${publicUrl}/`;
  if (error instanceof ServiceError) {
    metrics.error(error.kind);
    return faultPage({ status: error.status, text: `${error.message}.`, home });
  }
  if (!(error instanceof SignInFault)) throw error;
  const { kind, message } = error;
  exchange.log.warn({ fault: kind, why: message }, 'a sign-in at the identity provider failed');
  if (kind !== 'away' && kind !== 'secret') failedSignIns.note(SOMEBODY, exchange.current.from);
  const { status, text } = SIGN_IN_FAULTS[kind];
  setCookie(exchange, endAttempt({ publicUrl }));
  return faultPage({ status, text: text.replace('<provider>', settings.name), home });
}
