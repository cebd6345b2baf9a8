/** Who asks. Kept as long as the browser's tab, and never in a cookie. */
export type Session = { readonly username: string; readonly token: string };

const NAME = 'countergraph:session';

export function storedSession(): Session | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    return isSession(value) ? value : null;
  } catch {
    // Storage is switched off, or something else lies there.
    return null;
  }
}

export function storeSession(session: Session | null): void {
  try {
    if (session) sessionStorage.setItem(NAME, JSON.stringify(session));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Switched off: signed in until the page is loaded again.
  }
}

const isSession = (value: unknown): value is Session =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  'token' in value &&
  typeof value.username === 'string' &&
  typeof value.token === 'string';

/** The demo's user, where the server has the demo. */
export function demoSession(): Session | null {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="countergraph-demo"]');
  if (!meta?.content) return null;
  const value: unknown = JSON.parse(meta.content);
  return isSession(value) ? value : null;
}
