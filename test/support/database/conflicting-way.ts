import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a database that can end sessions as a standby does whose replay they delay. */
export type ConflictingWay = {
  readonly url: string;
  /** Ends the next sessions whose transaction is idle after a statement. */
  endNext(sessions: number): void;
  /** The number of sessions that are still to be ended. */
  left(): number;
  close(): Promise<void>;
};

/** ReadyForQuery, within a transaction. */
const IDLE_IN_TRANSACTION = Buffer.from('Z\0\0\0\x05T', 'latin1');

const FIELDS = Buffer.from(
  'SFATAL\0VFATAL\0C40001\0Mterminating connection due to conflict with recovery\0\0',
  'latin1',
);

/** ErrorResponse: its type, its length and its fields. */
function fatalConflict(): Buffer {
  const head = Buffer.alloc(5);
  head.write('E', 'latin1');
  head.writeInt32BE(4 + FIELDS.length, 1);
  return Buffer.concat([head, FIELDS]);
}

export async function openConflictingWay(databaseUrl: string): Promise<ConflictingWay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let left = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('data', (data: Buffer) => upstream.write(data));
    upstream.on('data', (data: Buffer) => {
      const isIdle = data.subarray(-IDLE_IN_TRANSACTION.length).equals(IDLE_IN_TRANSACTION);
      if (left === 0 || !isIdle) {
        client.write(data);
        return;
      }
      left -= 1;
      client.end(Buffer.concat([data, fatalConflict()]));
    });
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
    endNext(sessions) {
      left = sessions;
    },
    left: () => left,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
