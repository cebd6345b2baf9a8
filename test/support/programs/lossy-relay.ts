import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type LossyRelay = {
  readonly port: number;
  /** The number of datagrams that arrived, including those that were dropped. */
  readonly count: () => number;
  readonly stop: () => void;
};

/** Relays datagrams to a local port, and drops those whose number, from 0, is in `loses`. */
export async function startLossyRelay(
  targetPort: number,
  loses: readonly number[],
): Promise<LossyRelay> {
  const incoming: Socket = createSocket('udp4');
  const outgoing = createSocket('udp4');
  let count = 0;
  incoming.on('message', (datagram) => {
    if (!loses.includes(count)) outgoing.send(datagram, targetPort, '127.0.0.1');
    count += 1;
  });
  incoming.bind(0, '127.0.0.1');
  await once(incoming, 'listening');
  return {
    port: (incoming.address() as AddressInfo).port,
    count: () => count,
    stop() {
      incoming.close();
      outgoing.close();
    },
  };
}
