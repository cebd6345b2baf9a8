import { createParser, type EventSourceMessage } from 'eventsource-parser';
import {
  answerOf,
  type Body,
  type OperationAnswer,
  readAnswer,
  type SendOptions,
  send,
} from './ask.ts';
import { type Fault, NoAnswer, UNREACHABLE } from './fault.ts';
import type { Operation } from './operation.ts';

/** The server sends at least a comment every 12 seconds. */
const SILENCE_MS = 45_000;

/** onOpen is called when the server begins to stream, which may be long before an answer. */
export type OpenHandler = { readonly onOpen?: (() => void) | undefined };

/**
 * Yields the answers of a subscription until the server completes it: GraphQL over SSE, distinct
 * connections mode. Errors: as for `ask`; a connection that ends or falls silent is `NoAnswer` too.
 */
export async function* stream<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  { onOpen, ...options }: SendOptions & OpenHandler,
): AsyncGenerator<OperationAnswer<Data>, void> {
  const request = { operation, variables, accept: 'text/event-stream' };
  const response = await send(request, options);
  if (!isStream(response)) {
    yield await readAnswer<Data>(response, options.signal);
    return;
  }
  onOpen?.();
  const requestId = response.headers.get('x-request-id');
  for await (const { event, data } of readEvents(response.body, options.signal)) {
    if (event === 'complete') return;
    if (event === 'next') yield answerOf(parseBody<Data>(data), requestId);
  }
  throw new NoAnswer(UNREACHABLE);
}

const UNREADABLE: Fault = {
  kind: 'broken',
  message: 'The server sent an event that is not JSON',
  retrySeconds: null,
  requestId: null,
};

function parseBody<Data>(data: string): Body<Data> {
  try {
    // The operation determines the type of its answers.
    return JSON.parse(data) as Body<Data>;
  } catch {
    throw new NoAnswer(UNREADABLE);
  }
}

type StreamResponse = Response & { readonly body: ReadableStream<Uint8Array> };

const isStream = (response: Response): response is StreamResponse =>
  response.ok &&
  response.body !== null &&
  (response.headers.get('content-type') ?? '').startsWith('text/event-stream');

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventSourceMessage, void> {
  let events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withoutSilence(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const whole = events;
      events = [];
      yield* whole;
    }
  } catch (error) {
    if (signal?.aborted || error instanceof NoAnswer) throw error;
    throw new NoAnswer(UNREACHABLE);
  } finally {
    // The stream may have ended already, or may be what failed.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * Fails on silence: connections get lost without notice, when a laptop sleeps or a router fails.
 */
async function withoutSilence<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(UNREACHABLE)), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
