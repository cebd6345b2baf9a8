import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export type ThinLoad = {
  readonly url: string;
  /** Sent repeatedly, on each connection as soon as its answer has arrived. */
  readonly request: ThinRequest;
  readonly connections: number;
  readonly seconds: number;
};

export type ThinRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type ThinFigures = {
  readonly answers: number;
  readonly seconds: number;
  /** Milliseconds of every answer, in ascending order. */
  readonly latencies: readonly number[];
};

/**
 * Generates load with a fraction of the CPU time of an HTTP client, because it shares the cores
 * with the server. It reads only an answer's status and length. Errors: an answer other than 200.
 */
export async function thinLoad(load: ThinLoad): Promise<ThinFigures> {
  const startedAt = performance.now();
  const until = startedAt + load.seconds * 1000;
  const bytes = bytesOf(load);
  const latencies = await Promise.all(
    Array.from({ length: load.connections }, () => askOnAndOn(load.url, bytes, until)),
  );
  return {
    answers: latencies.reduce((sum, { length }) => sum + length, 0),
    seconds: (performance.now() - startedAt) / 1000,
    latencies: latencies.flat().sort((a, b) => a - b),
  };
}

function bytesOf({ url, request: { method, path, headers, body = '' } }: ThinLoad): Buffer {
  const all = { host: new URL(url).host, ...headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

function askOnAndOn(url: string, bytes: Buffer, until: number): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const latencies: number[] = [];
  let askedAt = performance.now();
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => resolve(latencies));
    socket.once('connect', () => socket.write(bytes));
    eachAnswer(socket, (status) => {
      const now = performance.now();
      latencies.push(now - askedAt);
      askedAt = now;
      if (status !== '200') socket.destroy(new Error(`an answer was ${status}`));
      else if (now >= until) socket.destroy();
      else socket.write(bytes);
    });
  });
}

/** Finds the ends of answers. They need a Content-Length, and requests must not be pipelined. */
function eachAnswer(socket: Socket, onAnswer: (status: string) => void): void {
  let status = '';
  let missing = 0;
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length;
    else {
      head += chunk.toString('latin1', 0, 2048);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error('an answer did not tell its length');
      status = head.slice(9, 12);
      missing =
        end + 4 + Number(length) - (head.length - Math.min(chunk.length, 2048)) - chunk.length;
      head = '';
    }
    if (missing <= 0) onAnswer(status);
  });
}
