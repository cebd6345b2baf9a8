import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { TOKEN } from '../systems/declaration.ts';
import { EventReader } from './event-reader.ts';
import { QUESTIONS } from './stream-questions.ts';

/** Messages to the process of all readers. Questions are assigned to readers in turn. */
export type ToReaders =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly streams: number;
      readonly users: number;
    }
  /** A commit follows: each stream must receive one message for it. */
  | { readonly kind: 'round' }
  | { readonly kind: 'answers' };

export type FromReaders =
  | { readonly kind: 'started' }
  /** refused: how often the server was too busy to open a stream. */
  | { readonly kind: 'opened'; readonly refused: number }
  | { readonly kind: 'ready' }
  /** times: when each stream had its message, in epoch ms. extra: messages beyond one each. */
  | { readonly kind: 'told'; readonly times: readonly number[]; readonly extra: number }
  /** For each question, the distinct last answers of its streams. */
  | { readonly kind: 'answers'; readonly answers: readonly (readonly string[])[] }
  | { readonly kind: 'ended'; readonly what: string };

/** The server accepts at most half of its connections from one address. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

const OPENING_AT_ONCE = 50;

type Reader = { readonly question: number; readonly events: EventReader; toldAt: number | null };

const readers: Reader[] = [];
let missing = 0;
let extra = 0;
let refused = 0;
let roundOver = () => {};

const tell = (message: FromReaders): void => {
  process.send?.(message);
};

process.on('disconnect', () => process.exit());
process.on('message', (message: ToReaders) => {
  if (message.kind === 'open') void open(message);
  else if (message.kind === 'round') void round();
  else tell({ kind: 'answers', answers: lastAnswers() });
});
tell({ kind: 'started' });

async function open({ url, streams, users }: Extract<ToReaders, { kind: 'open' }>) {
  missing = streams;
  const first = new Promise<void>((resolve) => {
    roundOver = resolve;
  });
  for (let from = 0; from < streams; from += OPENING_AT_ONCE) {
    const some = Math.min(OPENING_AT_ONCE, streams - from);
    await Promise.all(Array.from({ length: some }, (_, i) => openOne(url, from + i, users)));
  }
  await first;
  tell({ kind: 'opened', refused });
}

async function openOne(url: string, index: number, users: number): Promise<void> {
  const response = await askOne(url, index, users);
  const { statusCode } = response;
  if (statusCode === 503) {
    refused += 1;
    response.destroy();
    await delay(1000);
    return openOne(url, index, users);
  }
  if (statusCode !== 200) tell({ kind: 'ended', what: `a stream was refused with ${statusCode}` });
  const question = index % QUESTIONS.length;
  const events = new EventReader(() => noteMessage(reader));
  const reader: Reader = { question, events, toldAt: null };
  readers.push(reader);
  response.on('data', (chunk: Buffer) => events.read(chunk));
  response.once('close', () => {
    tell({ kind: 'ended', what: `stream ${index} was ended: ${events.last}` });
  });
}

async function askOne(url: string, index: number, users: number): Promise<IncomingMessage> {
  const question = index % QUESTIONS.length;
  const { subscription: query, variables } = QUESTIONS[question] ?? {};
  const user = `reader-${Math.floor(index / QUESTIONS.length) % users}`;
  const asked = request(`${url}/graphql`, {
    method: 'POST',
    agent: false,
    localAddress: ADDRESSES[index % ADDRESSES.length],
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${TOKEN}`).toString('base64')}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
  });
  asked.end(JSON.stringify({ query, variables }));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

function noteMessage(reader: Reader): void {
  if (reader.toldAt !== null) extra += 1;
  else missing -= 1;
  reader.toldAt ??= Date.now();
  if (missing === 0) roundOver();
}

async function round(): Promise<void> {
  missing = readers.length;
  extra = 0;
  for (const reader of readers) reader.toldAt = null;
  const over = new Promise<void>((resolve) => {
    roundOver = resolve;
  });
  tell({ kind: 'ready' });
  await over;
  tell({ kind: 'told', times: readers.map(({ toldAt }) => toldAt ?? Number.NaN), extra });
}

const lastAnswers = (): string[][] =>
  QUESTIONS.map((_, question) => {
    const own = readers.filter((reader) => reader.question === question);
    return [...new Set(own.map(({ events }) => events.last))];
  });
