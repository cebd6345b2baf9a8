import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes on what a client and the database send. The two sockets close together. */
export type Passing = (client: Socket, upstream: Socket) => void;

/** Opens a proxy to a database that treats what it passes on as the test says. */
export async function openProxy(
  databaseUrl: string,
  pass: Passing,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    pass(client, upstream);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Way = Awaited<ReturnType<typeof openWay>>;

/** Opens a way to a database that can be closed and opened again. */
export async function openWay(databaseUrl: string) {
  let isOpen = true;
  const clients = new Set<Socket>();
  const proxy = await openProxy(databaseUrl, (client, upstream) => {
    if (!isOpen) return void client.destroy();
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.pipe(upstream).pipe(client);
  });
  return {
    ...proxy,
    set(open: boolean) {
      isOpen = open;
      if (!open) for (const client of clients) client.destroy();
    },
  };
}
