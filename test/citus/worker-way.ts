import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { placeOf } from '../support/database/citus.ts';
import { withClient } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';

/** What happens to messages between the coordinator and a worker. */
type State = 'open' | 'closed' | 'silent';

/** A proxy between the coordinator and its first worker, for one database, without TLS. */
export type WorkerWay = {
  /** As if the worker were stopped: resets connections and refuses new ones. */
  close(): Promise<void>;
  /** As if the worker were paused: connections are accepted, but nothing is answered. */
  silence(): void;
  /** As if commits of pages were slow: holds the second phase of each until `open`. */
  holdCommits(): void;
  /** Returns the number of held messages. */
  held(): number;
  open(): Promise<void>;
  /** Sets whether Citus gives the worker shards. A worker that is being drained gets none. */
  mayFill(isAllowed: boolean): Promise<void>;
  remove(): Promise<void>;
};

const COPY_PAGES = /COPY \S+_segment_pages/;
const COMMIT_PREPARED = Buffer.from('COMMIT PREPARED', 'latin1');

/** Routes all traffic from a database's coordinator to its first worker through this process. */
export async function leadThrough(databaseUrl: string): Promise<WorkerWay> {
  const [worker = ''] = inject('workerUrls');
  const target = placeOf(worker);
  const sockets = new Set<Socket>();
  let state: State = 'open';
  let areCommitsHeld = false;
  let held: (() => void)[] = [];

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    const pass = (data: Buffer, to: Socket) => {
      if (state !== 'silent') to.write(data);
      else held.push(() => to.write(data));
    };
    let hasPages = false;
    client.on('data', (data: Buffer) => {
      hasPages ||= COPY_PAGES.test(data.toString('latin1'));
      if (areCommitsHeld && hasPages && data.includes(COMMIT_PREPARED))
        held.push(() => upstream.write(data));
      else pass(data, upstream);
    });
    upstream.on('data', (data: Buffer) => pass(data, client));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  await moveNode(databaseUrl, target, { host: '127.0.0.1', port });
  return {
    async close() {
      state = 'closed';
      await close();
    },
    silence() {
      state = 'silent';
    },
    holdCommits() {
      areCommitsHeld = true;
    },
    held: () => held.length,
    async open() {
      if (state === 'closed') await listen(port);
      state = 'open';
      areCommitsHeld = false;
      for (const goOn of held) goOn();
      held = [];
    },
    async mayFill(isAllowed) {
      const text = "select citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', $2)";
      // In an earlier session, Citus may hold a connection to the worker that was lost since.
      await withClient(databaseUrl, (client) => client.query(text, [port, isAllowed]));
    },
    async remove() {
      if (state !== 'closed') await close();
    },
  };
}

type Place = { readonly host: string; readonly port: number };

/** Moves a node, and waits until all nodes know: until then, Citus makes no partitions. */
async function moveNode(databaseUrl: string, from: Place, to: Place): Promise<void> {
  await rowsOf(
    databaseUrl,
    `select citus_update_node(nodeid, $3, $4) from pg_dist_node
     where nodename = $1 and nodeport = $2`,
    [from.host, from.port, to.host, to.port],
  );
  const unaware = `select from pg_dist_node where hasmetadata and not metadatasynced`;
  while ((await rowsOf(databaseUrl, unaware)).length > 0) await delay(20);
}
