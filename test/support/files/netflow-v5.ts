import { createSocket } from 'node:dgram';
import { promisify } from 'node:util';

export type ExportedFlow = {
  readonly from: string;
  readonly to: string;
  readonly sourcePort: number;
  readonly port: number;
  readonly bytes: number;
  readonly packets: number;
};

const HEADER_BYTES = 24;
const RECORD_BYTES = 48;
const TCP = 6;

/** How long the exporter has been up, and how long before the export a flow began and ended. */
const UPTIME_MS = 600_000;
const BEGAN_MS = 3_000;
const ENDED_MS = 1_000;

/** Sends TCP flows to a collector, as a router does with NetFlow version 5. */
export async function exportFlows(
  port: number,
  atSeconds: number,
  flows: readonly ExportedFlow[],
): Promise<void> {
  const socket = createSocket('udp4');
  const packet = Buffer.concat([header(atSeconds, flows.length), ...flows.map(record)]);
  await promisify((done: (error: Error | null) => void) =>
    socket.send(packet, port, '127.0.0.1', done),
  )();
  socket.close();
}

function header(atSeconds: number, count: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt16BE(5, 0);
  bytes.writeUInt16BE(count, 2);
  bytes.writeUInt32BE(UPTIME_MS, 4);
  bytes.writeUInt32BE(atSeconds, 8);
  return bytes;
}

function record({ from, to, sourcePort, port, bytes, packets }: ExportedFlow): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.set(from.split('.').map(Number), 0);
  record.set(to.split('.').map(Number), 4);
  record.writeUInt32BE(packets, 16);
  record.writeUInt32BE(bytes, 20);
  record.writeUInt32BE(UPTIME_MS - BEGAN_MS, 24);
  record.writeUInt32BE(UPTIME_MS - ENDED_MS, 28);
  record.writeUInt16BE(sourcePort, 32);
  record.writeUInt16BE(port, 34);
  record[38] = TCP;
  return record;
}
