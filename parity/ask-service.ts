import { parse } from 'lossless-json';
import { BLOCKED_PORT } from '../domain/blocked-port.ts';
import { LIMITS } from '../domain/limits.ts';
import { LEGACY_ENDPOINTS } from './legacy-endpoint.ts';
import type { ReplayedRequest } from './read-requests.ts';

/**
 * One of the two services, and the credentials to send. null: requests keep their own credentials.
 */
export type ReplayTarget = {
  readonly baseUrl: URL;
  readonly credentials: { readonly username: string; readonly token: string } | null;
};

/** A `fault` has no body: the service did not answer, or not as the specification requires. */
export type Reply =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'fault'; readonly fault: string };

/** The service cannot be reached at all, so every other request would fail too. */
export class Unreachable extends Error {
  constructor({ baseUrl }: ReplayTarget, reason: string) {
    super(
      `${baseUrl.origin} cannot be reached (${reason}): is it started, and is the address right?`,
    );
    this.name = 'Unreachable';
  }
}

/** Sends one request. Errors: `Unreachable`, and the reason of `signal` when it is aborted. */
export async function askService(
  target: ReplayTarget,
  request: ReplayedRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(LIMITS.parityTimeoutMs);
  try {
    const response = await fetch(addressOf(target, request), {
      headers: { accept: 'application/json' },
      // Do not follow redirects: legacy callers do not either.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    const text = await readText(response);
    if (text !== null) return replyOf(response.status, response.headers.get('location'), text);
    return fault(`${response.status} with a body of more than ${LIMITS.parityBodyBytes} bytes`);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return fault(`no answer within ${LIMITS.parityTimeoutMs / 1000} seconds`);
    }
    const { code, text } = causeOf(error);
    if (UNREACHABLE.has(code) || text === BLOCKED_PORT) throw new Unreachable(target, text);
    return fault(`no answer: ${text}`);
  }
}

/** null: the body is larger than the limit. */
async function readText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > LIMITS.parityBodyBytes) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Error codes after which every further request would fail in the same way. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const fault = (text: string): Reply => ({ kind: 'fault', fault: text });

/** Reads the reason from the error's cause, where `fetch` puts it. */
function causeOf(error: unknown): { code: string; text: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message || cause.name : String(cause);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { code, text: text === '' || text === 'AggregateError' ? code : text };
}

function addressOf({ baseUrl, credentials }: ReplayTarget, request: ReplayedRequest): URL {
  const url = new URL(baseUrl);
  const { path } = LEGACY_ENDPOINTS[request.endpoint];
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path;
  const query = new URLSearchParams(request.query);
  if (credentials) {
    query.set('username', credentials.username);
    query.set('api_token', credentials.token);
  }
  url.search = query.toString();
  return url;
}

function replyOf(status: number, location: string | null, text: string): Reply {
  if (status >= 300 && status < 400) {
    return fault(
      `${status}, a redirect to ${location ?? 'nowhere'}: give the base of that address`,
    );
  }
  try {
    return { kind: 'answer', status, body: parse(text) };
  } catch {
    return fault(`${status} with a body that is not JSON: ${JSON.stringify(text.slice(0, 60))}`);
  }
}
