import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { BenchRequest } from './requests.ts';

/** Number of requests so far by outcome. */
export type Outcomes = {
  answered: number;
  /** Answers other than 200: the server refused the request, or it failed. */
  failed: number;
  /** The connection was not accepted. */
  refused: number;
  /** The connection was lost before the answer was complete. */
  lost: number;
};

export type PersistentLoad = {
  readonly outcomes: Outcomes;
  /** Milliseconds of the slowest answer. */
  readonly slowestMs: () => number;
  stop(): Promise<void>;
};

/**
 * Repeats a request on a few connections. A connection that is lost is reopened immediately, as by
 * a client with keep-alive.
 */
export function startLoad(
  url: string,
  { method, path, headers, body = '' }: BenchRequest,
  connections: number,
): PersistentLoad {
  const outcomes: Outcomes = { answered: 0, failed: 0, refused: 0, lost: 0 };
  const { hostname, port, host } = new URL(url);
  const all = { host, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let isOver = false;
  let slowestMs = 0;

  /** Resolves when either side has closed the connection. */
  const askOnOne = () =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let isConnected = false;
      /** When the request in progress was sent. null if there is none. */
      let askedAt: number | null = null;
      let text = '';
      const ask = () => {
        askedAt = performance.now();
        socket.write(bytes);
      };
      socket.once('connect', () => {
        isConnected = true;
        ask();
      });
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
        if (end < 0 || text.length < end + 4 + Number(length)) return;
        slowestMs = Math.max(slowestMs, performance.now() - (askedAt ?? 0));
        if (text.startsWith('HTTP/1.1 200 ')) outcomes.answered += 1;
        else outcomes.failed += 1;
        text = '';
        askedAt = null;
        if (isOver) socket.destroy();
        else ask();
      });
      socket.once('error', () => undefined);
      socket.once('close', () => {
        if (!isConnected) outcomes.refused += 1;
        else if (askedAt !== null) outcomes.lost += 1;
        resolve();
      });
    });
  const askOnAndOn = async () => {
    while (!isOver) await askOnOne();
  };
  const done = Promise.all(Array.from({ length: connections }, askOnAndOn));
  return {
    outcomes,
    slowestMs: () => slowestMs,
    async stop() {
      isOver = true;
      await done;
    },
  };
}
