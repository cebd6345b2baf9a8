import { once } from 'node:events';
import { request } from 'node:http';
import { ADA, basic } from '../lab/service.ts';

/** One message of GraphQL over SSE. */
export type StreamMessage = {
  readonly event: string;
  /** The result, for `next`. */
  readonly data: { readonly data?: unknown; readonly errors?: readonly { message: string }[] };
};

export type OpenStream = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All messages so far. */
  readonly messages: readonly StreamMessage[];
  /** The raw text received so far. */
  text(): string;
  /** The next message not yet taken. Errors: the stream is over. */
  next(): Promise<StreamMessage>;
  /** The data of the next message, which must be an answer without errors. */
  answer<Data = unknown>(): Promise<Data>;
  /** Resolves when this is anywhere in the text, or when the stream is over. */
  heard(part: string): Promise<void>;
  /** Resolves when the server has ended it, or the connection is lost. */
  readonly ended: Promise<void>;
  /** Stops reading until `resume`, as a busy client does. */
  pause(): void;
  resume(): void;
  close(): void;
};

type Asked = {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly operationName?: string;
};

/** Sends a subscription, or any operation, by POST and asks for an event stream. */
export function openStream(
  url: string,
  query: string,
  { variables = {}, headers = basic(ADA), operationName }: Asked = {},
): Promise<OpenStream> {
  const messages: StreamMessage[] = [];
  let text = '';
  let taken = 0;
  let isOver = false;
  let wake = () => {};
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/graphql`,
      {
        method: 'POST',
        agent: false,
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
      },
      (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          rest += chunk;
          const blocks = rest.split('\n\n');
          rest = blocks.pop() ?? '';
          messages.push(...blocks.flatMap(parse));
          wake();
        });
        const over = new Promise<void>((done) => response.once('close', done));
        void over.then(() => {
          isOver = true;
          wake();
        });
        const next = async (): Promise<StreamMessage> => {
          for (;;) {
            const message = messages[taken];
            if (message) {
              taken += 1;
              return message;
            }
            if (isOver) throw new Error(`the stream is over: ${text}`);
            await new Promise<void>((woken) => {
              wake = woken;
            });
          }
        };
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          messages,
          text: () => text,
          next,
          async answer<Data>() {
            const { event, data } = await next();
            if (event !== 'next' || data.errors)
              throw new Error(`${event} ${JSON.stringify(data)}`);
            return data.data as Data;
          },
          async heard(part) {
            while (!isOver && !text.includes(part)) {
              await Promise.race([once(response, 'data'), over]);
            }
          },
          ended: over,
          pause: () => response.pause(),
          resume: () => response.resume(),
          close: () => response.destroy(),
        });
      },
    );
    sent.once('error', reject);
    sent.end(JSON.stringify({ query, variables, operationName }));
  });
}

/** Parses a block of lines, and skips comments. */
function parse(block: string): StreamMessage[] {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.length === 0) return [];
  const field = (name: string) =>
    lines.flatMap((line) =>
      line.startsWith(`${name}:`) ? [line.slice(name.length + 1).trim()] : [],
    );
  const data = field('data').join('\n');
  return [{ event: field('event').join(), data: data === '' ? {} : JSON.parse(data) }];
}
