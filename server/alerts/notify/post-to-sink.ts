import querystring from 'node:querystring';
import type { NotifiedSink } from '../../../db/sql/alert-deliveries.ts';
import { BLOCKED_PORT } from '../../../domain/blocked-port.ts';
import { LIMITS } from '../../../domain/limits.ts';

type SinkPost = {
  readonly address: SinkAddress;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the sink may take to answer. */
  readonly answerMs: number;
  /** Aborted when the outcome no longer matters. */
  readonly signal: AbortSignal;
};

/**
 * POSTs to a sink. A 2xx status is success, whatever the body. A redirect is a failure, because a
 * message signed for one receiver must not be sent to another. Errors: a `SinkFailure`, or the
 * reason of the abort.
 */
export async function postToSink(post: SinkPost): Promise<void> {
  const { signal, answerMs } = post;
  signal.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const tooLate = new SinkFailure(`it does not answer within ${answerMs / 1000} s`);
  const timer = setTimeout(() => ending.abort(tooLate), answerMs);
  try {
    const response = await send(post, ending.signal);
    const { ok, status } = response;
    if (!ok) throw new SinkFailure(`it answers with the status ${status}`, status);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

async function send({ address, body, headers }: SinkPost, signal: AbortSignal): Promise<Response> {
  const { url, authorization } = address;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: authorization === null ? headers : { authorization, ...headers },
      body,
      redirect: 'manual',
      signal,
    });
    await readToEnd(response);
    return response;
  } catch (error) {
    if (error instanceof SinkFailure) throw error;
    throw new SinkFailure(networkFault(error));
  }
}

/** Reads a response to its end, so that the connection can be reused, unless it is too long. */
async function readToEnd({ body }: Response): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += (chunk as Uint8Array).length;
      if (bytes > LIMITS.sinkAnswerBytes) break;
    }
  } catch {
    // The status is enough.
  }
}

/** Describes a network error by its code, because its message would name the address. */
function networkFault(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.message === BLOCKED_PORT) return BAD_PORT;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? `the request fails: ${code}` : 'the request cannot be sent';
}

const BAD_PORT =
  'its port belongs to another protocol, and HTTP requests to it are blocked: let the sink listen ' +
  'on another port';

/** Returns the value of an environment variable. */
export type Variable = (name: string) => string | undefined;

type SinkAddress = {
  /** Without credentials, because `fetch` refuses addresses that contain them. */
  readonly url: URL;
  /** The header that carries the credentials; null: there are none. */
  readonly authorization: string | null;
};

/** Returns the declared address of a sink: the address itself, or the variable that holds it. */
export const declaredAt = ({ url, urlEnv }: Pick<NotifiedSink, 'url' | 'urlEnv'>): string =>
  url ?? `\${${urlEnv}}`;

/** Returns the address of a sink. Reads its variable for each request. Errors: a `SinkFailure`. */
export function addressOf(
  { url, urlEnv }: Pick<NotifiedSink, 'url' | 'urlEnv'>,
  variable: Variable,
): SinkAddress {
  const text = urlEnv === null ? url : read(urlEnv, 'the address of the sink', variable);
  const what = urlEnv === null ? 'the url of the sink' : `the variable ${urlEnv}`;
  const parsed = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new SinkFailure(`${what} must hold an http or https address, and holds something else`);
  }
  return withoutCredentials(parsed);
}

/** Returns a sink's secret; null: none. Errors: a `SinkFailure` if its variable is not set. */
export const secretOf = (
  { secretEnv }: Pick<NotifiedSink, 'secretEnv'>,
  variable: Variable,
): string | null =>
  secretEnv === null ? null : read(secretEnv, 'the secret of the sink', variable);

function read(name: string, what: string, variable: Variable): string {
  const value = variable(name);
  if (value) return value;
  throw new SinkFailure(
    `the variable ${name} must hold ${what}, and is not set: set it where the server is started, ` +
      'and restart the server',
  );
}

function withoutCredentials(address: URL): SinkAddress {
  const { username, password } = address;
  if (username === '' && password === '') return { url: address, authorization: null };
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const credentials = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A sink could not be notified. The message is logged, so it contains no address or secret. */
export class SinkFailure extends Error {
  /** The status of the answer; null: there was none. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}
