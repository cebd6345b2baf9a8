import { serviceError } from '../../domain/errors.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses unknown origins, as the protocol demands: if an attacker points the name of a page at
 * this machine (DNS rebinding), the browser takes the page for one of our own origin. Known origins
 * are those that CORS allows, and pages of the machine that the browser itself runs on. Programs
 * other than browsers name no origin. Error: `unknownOrigin`.
 */
export function requireKnownOrigin(origin: string | undefined, known: readonly string[]): void {
  if (origin === undefined || known.includes(origin) || isLoopback(origin)) return;
  throw serviceError('unknownOrigin', { origin });
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && LOOPBACK.has(url.hostname);
}
