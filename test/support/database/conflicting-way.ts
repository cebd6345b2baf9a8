import { openProxy } from './proxy.ts';

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
  let left = 0;
  const proxy = await openProxy(databaseUrl, (client, upstream) => {
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
  });
  return {
    url: proxy.url,
    endNext(sessions) {
      left = sessions;
    },
    left: () => left,
    close: proxy.close,
  };
}
