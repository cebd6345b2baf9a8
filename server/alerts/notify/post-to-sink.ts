import { BLOCKED_PORT } from '../../../domain/blocked-port.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { SinkAddress } from './sink-address.ts';
import { SinkFailure } from './sink-failure.ts';

export type SinkPost = {
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
