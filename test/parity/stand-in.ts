import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a stand-in makes of our answer to the request. */
export type Deviation = (reply: Passed, request: IncomingMessage, response: ServerResponse) => void;

type Passed = { readonly status: number; readonly text: string };

export type StandIn = {
  readonly url: string;
  /** The queries that it was asked, in their order. */
  readonly asked: URL[];
  /** From now on. */
  deviate(how: Deviation): void;
  close(): Promise<void>;
};

const AS_IT_IS: Deviation = ({ status, text }, _, response) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
};

/** A legacy service that answers as the one at `url` does, below the path /ui, until told otherwise. */
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

/** Answers with the text changed. */
export const withText =
  (change: (text: string) => string): Deviation =>
  ({ status, text }, request, response) =>
    AS_IT_IS({ status, text: change(text) }, request, response);
