import type { OperationAnswer, SendOptions } from './ask.ts';
import { type Fault, faultOf, UNREACHABLE } from './fault.ts';
import type { Operation } from './operation.ts';
import { type OpenHandler, stream } from './stream.ts';

export type StreamHandlers<Data> = OpenHandler & {
  readonly onAnswer: (answer: OperationAnswer<Data>) => void;
  /** The stream ended, or never began; it is reopened after a delay. */
  readonly onLost: (fault: Fault) => void;
};

type FollowOptions = SendOptions & { readonly signal: AbortSignal };

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/**
 * Follows a subscription until the signal aborts, and reopens it whenever it ends or `onAnswer`
 * throws.
 */
export async function follow<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  { onAnswer, onLost, ...options }: FollowOptions & StreamHandlers<Data>,
): Promise<void> {
  const { signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    let fault = ENDED;
    try {
      for await (const answer of stream(operation, variables, options)) {
        onAnswer(answer);
        failures = 0;
      }
    } catch (error) {
      if (signal.aborted) return;
      fault = faultOf(error);
    }
    if (signal.aborted) return;
    onLost(fault);
    await pause(delayMs(fault, failures), signal);
    failures += 1;
  }
}

/** A server that shuts down completes its streams, as does one without the requested context. */
const ENDED: Fault = { ...UNREACHABLE, message: 'The server closed the stream' };

/**
 * Returns the delay before a retry. It grows with each failure and has jitter, so that not all
 * pages reconnect at once after a restart.
 */
function delayMs({ retrySeconds }: Fault, failures: number, random = Math.random): number {
  const usual = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
  return Math.max((retrySeconds ?? 0) * 1000, usual) * (0.75 + random() / 2);
}

/** Resolves after the delay, when the browser is online again, or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
