import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a stand-in changes our answer to a request. */
export type Deviation = (reply: Passed, request: IncomingMessage, response: ServerResponse) => void;

type Passed = { readonly status: number; readonly text: string };

export type StandIn = {
  readonly url: string;
  /** The requested addresses, in order. */
  readonly asked: URL[];
  /** Changes all answers from now on. */
  deviate(how: Deviation): void;
  close(): Promise<void>;
};

const AS_IT_IS: Deviation = ({ status, text }, _, response) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
};

/** Starts a legacy service below the path /ui that answers like the service at `url`. */
export async function startStandIn(url: string): Promise<StandIn> {
  const asked: URL[] = [];
  let how = AS_IT_IS;
  const server = createServer(async (request, response) => {
    const target = new URL(request.url ?? '/', url);
    asked.push(target);
    const passed = await fetch(url + target.pathname.replace(/^\/ui/, '') + target.search);
    how({ status: passed.status, text: await passed.text() }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ui`,
    asked,
    deviate(next) {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Changes the text of the answer. */
export const withText =
  (change: (text: string) => string): Deviation =>
  ({ status, text }, request, response) =>
    AS_IT_IS({ status, text: change(text) }, request, response);
