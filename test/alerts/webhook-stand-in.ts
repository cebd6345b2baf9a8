import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type ReceivedRequest = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it was sent. */
  readonly text: string;
  readonly body: {
    readonly event: 'began' | 'ended';
    readonly id: string;
    readonly [field: string]: unknown;
  };
};

/** What it does with a request that it has read. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void;

export const takes: Behaviour = (response) => response.writeHead(204).end();

export const answersWith =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end('the reason, which the log must not repeat');

/** Never responds. */
export const hangs: Behaviour = () => {};

export const closesBeforeItAnswers: Behaviour = (response) => response.socket?.destroy();

export const closesWithinItsHead: Behaviour = (response) =>
  response.socket?.end('HTTP/1.1 200 OK\r\ncontent-le');

export type WebhookStandIn = Awaited<ReturnType<typeof startWebhook>>;

/** Receives notifications as a user's program would, and fails as the test says. */
export async function startWebhook(port = 0) {
  const received: ReceivedRequest[] = [];
  let behaviour = takes;
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { headers, url = '' } = request;
    const taken = { path: url, headers, text: sent, body: JSON.parse(sent) };
    received.push(taken);
    behaviour(response, taken);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    received,
    /** The notifications it received, in order: `began ID`, `ended ID`. */
    told: () => received.map(({ body }) => `${body.event} ${body.id}`),
    behave(next: Behaviour): void {
      behaviour = next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
