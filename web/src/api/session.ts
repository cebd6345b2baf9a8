/** The user and token of requests. Kept as long as the browser's tab, and never in a cookie. */
export type Session = { readonly username: string; readonly token: string };

const NAME = 'countergraph:session';

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
    // Storage is disabled: the user stays signed in until the page is reloaded.
  }
}

const isSession = (value: unknown): value is Session =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  'token' in value &&
  typeof value.username === 'string' &&
  typeof value.token === 'string';

/** Returns the demo's user, if the server has the demo. */
export function demoSession(): Session | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="countergraph-demo"]');
  if (!meta?.content) return null;
  const value: unknown = JSON.parse(meta.content);
  return isSession(value) ? value : null;
}
