import {
  type Fault,
  faultOfResponse,
  type GraphQLProblem,
  NoAnswer,
  UNREACHABLE,
} from './fault.ts';
import { pageMeta } from './page-meta.ts';

/**
 * Who is signed in. token: null in a session of the server, which the browser's cookie names. A
 * server that cannot keep sessions is sent the token with each request; then the tab keeps it.
 */
export type Session = {
  readonly username: string;
  readonly token: string | null;
  /** What the user's identity provider calls them, if there is one. */
  readonly shownName?: string;
};

/** An identity provider at which people sign in, and where that begins. */
export type Provider = { readonly name: string; readonly url: string };

const NAME = 'countergraph:session';

/** Returns the session of this tab; null: it has none yet, but the browser may. */
export function storedSession(): Session | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    return isSession(value) ? value : null;
  } catch {
    // Storage is disabled, or holds something else.
    return null;
  }
}

export function storeSession(session: Session | null): void {
  try {
    if (session) sessionStorage.setItem(NAME, JSON.stringify(session));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Storage is disabled: the page asks the server again after a reload.
  }
}

const USER = 'countergraph:user';

/** Returns the name of whoever signed in last in this browser; null: nobody did. */
export function lastUser(): string | null {
  try {
    return localStorage.getItem(USER);
  } catch {
    return null;
  }
}

function storeLastUser(username: string): void {
  try {
    localStorage.setItem(USER, username);
  } catch {
    // Storage is disabled: the form is empty the next time.
  }
}

/** Returns whoever is signed in in this browser; null: nobody, or the server does not say. */
export async function browserSession(): Promise<Session | null> {
  const body = withoutToken(await askSession());
  return isSession(body) ? body : null;
}

/** Returns where else people sign in; null: nowhere, or the server does not say. */
export async function signInProvider(): Promise<Provider | null> {
  const body = (await askSession()) as { provider?: Provider } | null;
  return body?.provider ?? null;
}

/** Returns what the server says about the session of this browser; null: nothing. */
async function askSession(): Promise<unknown> {
  try {
    const response = await fetch(sessionAddress(), {
      credentials: 'same-origin',
      cache: 'no-store',
    });
    return response.ok ? await response.json() : null;
  } catch {
    // The sign-in form says what is wrong once it is sent.
    return null;
  }
}

const withoutToken = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? { ...body, token: null } : null;

export type SignInRequest = {
  readonly username: string;
  readonly token: string;
  /** Whether to stay signed in when the browser is closed. */
  readonly stay: boolean;
};

/** Signs in. Errors: `NoAnswer`. */
export async function beginSession({ username, token, stay }: SignInRequest): Promise<Session> {
  const response = await fetch(sessionAddress(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'same-origin',
    cache: 'no-store',
    body: JSON.stringify({ username, token, stay }),
  }).catch(() => {
    throw new NoAnswer(UNREACHABLE);
  });
  if (response.ok) {
    storeLastUser(username);
    return { username, token: null };
  }
  const fault = await faultOfRefusal(response);
  // It cannot keep sessions while its database is read-only, but answers whoever sends a token.
  if (fault.kind === 'backend') return { username, token };
  throw new NoAnswer(fault);
}

/**
 * Ends the session in all tabs. Whoever is not reached ends it by itself. Returns where to sign out
 * of the identity provider, too; null: nowhere.
 */
export async function endSession(): Promise<string | null> {
  const request = { method: 'DELETE', credentials: 'same-origin', keepalive: true } as const;
  const response = await fetch(sessionAddress(), request).catch(() => null);
  const body: unknown = response?.ok ? await response.json().catch(() => null) : null;
  return (body as { signOutUrl?: string } | null)?.signOutUrl ?? null;
}

const sessionAddress = (): URL => new URL('session', document.baseURI);

async function faultOfRefusal(response: Response): Promise<Fault> {
  const body: unknown = await response.json().catch(() => null);
  return faultOfResponse(response, problemIn(body));
}

/** Returns the first error of a body in GraphQL's form. */
function problemIn(body: unknown): GraphQLProblem | null {
  const { errors } = (body ?? {}) as { errors?: readonly GraphQLProblem[] };
  return errors?.[0] ?? null;
}

const isSession = (value: unknown): value is Session =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  'token' in value &&
  typeof value.username === 'string' &&
  (value.token === null || typeof value.token === 'string');

/** Returns the demo's user, if the server has the demo. */
export function demoUser(): { readonly username: string; readonly token: string } | null {
  const told = pageMeta('demo');
  if (told === '') return null;
  const value: unknown = JSON.parse(told);
  if (!isSession(value) || value.token === null) return null;
  return { username: value.username, token: value.token };
}
