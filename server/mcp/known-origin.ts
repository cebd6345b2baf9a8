import { serviceError } from '../../domain/errors.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * A page whose name an attacker has pointed at this machine (DNS rebinding) is of our own origin to
 * its browser, and so the protocol demands that origins are known: those that CORS lets in, and
 * pages of the machine that the browser itself runs on. Programs that are no browsers name none.
 * Error: `unknownOrigin`.
 */
export function requireKnownOrigin(origin: string | undefined, known: readonly string[]): void {
  if (origin === undefined || known.includes(origin) || isLoopback(origin)) return;
  throw serviceError('unknownOrigin', { origin });
}

function isLoopback(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && LOOPBACK.has(url.hostname);
}
