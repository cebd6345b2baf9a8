import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Datagram } from '../../../ingest/datagrams/datagram.ts';

const HOST = '127.0.0.1';

const MARK = Buffer.from('nothing follows');

/**
 * Returns what an exporter sends to a port while it runs. Datagrams arrive in order, so all have
 * arrived when one arrives that is sent after the exporter has ended.
 */
export async function receiveDatagrams(
  runExporter: (port: number) => Promise<unknown>,
): Promise<readonly Datagram[]> {
  const socket = createSocket('udp4');
  const received: Datagram[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on('message', (bytes, { address, port }) => {
      if (bytes.equals(MARK)) resolve();
      else received.push({ bytes, address, port, receivedMs: Date.now() });
    });
  });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  try {
    await runExporter(port);
    await sendFrom(socket, port, [MARK]);
    await all;
  } finally {
    socket.close();
  }
  return received;
}

/** Sends datagrams to a local port, one after the other. */
export async function sendDatagrams(port: number, contents: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4');
  await sendFrom(socket, port, contents);
  socket.close();
}

async function sendFrom(socket: Socket, port: number, contents: readonly Buffer[]): Promise<void> {
  const send = promisify<Buffer, number, string, number>(socket.send.bind(socket));
  for (const bytes of contents) await send(bytes, port, HOST);
}
