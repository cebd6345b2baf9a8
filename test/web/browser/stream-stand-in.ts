import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before a server, which answers subscriptions itself, as the test says. */
export type StreamStandIn = {
  readonly url: string;
  /** The request bodies of the open streams. */
  open(): readonly OpenStream[];
  /** Sends an event to all of them, and waits until the sockets have taken it. */
  send(data: object): Promise<void>;
  /** Sends an event with this text, which need not be JSON. */
  sendText(text: string): Promise<void>;
  /** Completes the streams, as a server that stops does. */
  complete(): void;
  /** Acts like a failed network: ends the open streams, and refuses new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
};

type OpenStream = {
  readonly operationName: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

export async function standBefore(target: string): Promise<StreamStandIn> {
  const streams = new Map<ServerResponse, OpenStream>();
  let isCut = false;
  const server = createServer((req, res) => {
    if (req.headers.accept !== 'text/event-stream') return pass(target, req, res);
    if (isCut) return req.socket.destroy();
    void readBody(req).then((body) => {
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      res.write(':\n\n');
      streams.set(res, JSON.parse(body) as OpenStream);
      res.on('close', () => streams.delete(res));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sendText = async (text: string) => {
    const event = `event: next\ndata: ${text}\n\n`;
    await Promise.all([...streams.keys()].map((res) => written(res, event)));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    open: () => [...streams.values()],
    send: (data) => sendText(JSON.stringify(data)),
    sendText,
    complete() {
      for (const res of streams.keys()) res.end('event: complete\ndata: \n\n');
    },
    cut() {
      isCut = true;
      for (const res of streams.keys()) res.destroy();
    },
    mend() {
      isCut = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const written = (res: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    res.write(text, (error) => (error ? reject(error) : resolve()));
  });

function pass(target: string, req: IncomingMessage, res: ServerResponse): void {
  const { method, headers } = req;
  const passed = request(new URL(req.url ?? '/', target), { method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  passed.on('error', () => res.destroy());
  req.pipe(passed);
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part);
  return Buffer.concat(parts).toString();
}
