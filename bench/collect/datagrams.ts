import type { BenchFlow } from '../traffic/flow-traffic.ts';

/** A protocol in which the bench exports flows. */
export type BenchProtocol = 'netflow5' | 'netflow9' | 'ipfix';

/** Datagrams that were made before, and how to bring them up to date when they are sent. */
export type Datagrams = {
  readonly made: readonly Buffer[];
  readonly flowsEach: number;
  /** Sets sequence and time. Returns what the datagram adds to the sequence. */
  readonly stamp: (datagram: Buffer, sequence: number, nowMs: number) => number;
  /** Sent before all others; null: nothing. */
  readonly template: ((nowMs: number) => Buffer) | null;
};

/** The exporters' uptime, in milliseconds: it stands still, and so do the times relative to it. */
const UPTIME_MS = 3_600_000;

/** Flows that fill an Ethernet frame. */
const FLOWS_EACH = { netflow5: 30, netflow9: 30, ipfix: 26 } as const;

const addressOf = (key: string): number => Number.parseInt(key.replaceAll('.', ''), 16);

/** Makes datagrams of these flows; their times are counted back from when they are sent. */
export function makeDatagrams(protocol: BenchProtocol, flows: readonly BenchFlow[]): Datagrams {
  const flowsEach = FLOWS_EACH[protocol];
  const made: Buffer[] = [];
  for (let i = 0; i + flowsEach <= flows.length; i += flowsEach) {
    const part = flows.slice(i, i + flowsEach);
    made.push(protocol === 'netflow5' ? netflow5(part) : templated(protocol, part));
  }
  const template = protocol === 'netflow5' ? null : () => templateOf(protocol);
  return { made, flowsEach, stamp: STAMPS[protocol], template };
}

type Stamp = Datagrams['stamp'];

const STAMPS: Readonly<Record<BenchProtocol, Stamp>> = {
  netflow5(datagram, sequence, nowMs) {
    datagram.writeUInt32BE(Math.floor(nowMs / 1000), 8);
    datagram.writeUInt32BE((nowMs % 1000) * 1e6, 12);
    datagram.writeUInt32BE(sequence >>> 0, 16);
    return FLOWS_EACH.netflow5;
  },
  netflow9(datagram, sequence, nowMs) {
    datagram.writeUInt32BE(Math.floor(nowMs / 1000), 8);
    datagram.writeUInt32BE(sequence >>> 0, 12);
    return 1;
  },
  ipfix(datagram, sequence, nowMs) {
    datagram.writeUInt32BE(Math.floor(nowMs / 1000), 4);
    datagram.writeUInt32BE(sequence >>> 0, 8);
    // Its flows have absolute times: of the end, and the duration before it as the start.
    for (let at = IPFIX_FIRST; at < datagram.length; at += IPFIX_RECORD) {
      const durationMs = datagram.readUInt32BE(at + 24);
      datagram.writeBigUInt64BE(BigInt(nowMs - durationMs), at + 28);
      datagram.writeBigUInt64BE(BigInt(nowMs), at + 36);
    }
    return FLOWS_EACH.ipfix;
  },
};

function netflow5(flows: readonly BenchFlow[]): Buffer {
  const bytes = Buffer.alloc(24 + 48 * flows.length);
  bytes.writeUInt16BE(5, 0);
  bytes.writeUInt16BE(flows.length, 2);
  bytes.writeUInt32BE(UPTIME_MS, 4);
  for (const [i, flow] of flows.entries()) {
    const at = 24 + 48 * i;
    bytes.writeUInt32BE(addressOf(flow.originator.address), at);
    bytes.writeUInt32BE(addressOf(flow.responder.address), at + 4);
    bytes.writeUInt32BE(flow.originator.packets, at + 16);
    bytes.writeUInt32BE(flow.originator.bytes, at + 20);
    bytes.writeUInt32BE(UPTIME_MS - Math.floor(flow.durationUs / 1000), at + 24);
    bytes.writeUInt32BE(UPTIME_MS, at + 28);
    bytes.writeUInt16BE(flow.ports.source, at + 32);
    bytes.writeUInt16BE(flow.ports.destination, at + 34);
    bytes.writeUInt8(flow.protocol, at + 38);
  }
  return bytes;
}

/** Numbers and lengths of the fields: addresses, ports, protocol, padding, amounts, times. */
const FIELDS = {
  netflow9: [8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 210, 3, 1, 4, 2, 4, 22, 4, 21, 4],
  ipfix: [8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 210, 3, 1, 4, 2, 4, 161, 4, 152, 8, 153, 8],
} as const;

const IPFIX_RECORD = 44;
const IPFIX_FIRST = 16 + 4;
const TEMPLATE_ID = 256;

/** Returns the header of a message: NetFlow 9 counts records, IPFIX bytes. */
function messageOf(protocol: 'netflow9' | 'ipfix', records: number, sets: Buffer): Buffer {
  const header = Buffer.alloc(protocol === 'netflow9' ? 20 : 16);
  header.writeUInt16BE(protocol === 'netflow9' ? 9 : 10, 0);
  header.writeUInt16BE(protocol === 'netflow9' ? records : header.length + sets.length, 2);
  if (protocol === 'netflow9') header.writeUInt32BE(UPTIME_MS, 4);
  return Buffer.concat([header, sets]);
}

function templateOf(protocol: 'netflow9' | 'ipfix'): Buffer {
  const fields = FIELDS[protocol];
  const set = Buffer.alloc(8 + 2 * fields.length);
  set.writeUInt16BE(protocol === 'netflow9' ? 0 : 2, 0);
  set.writeUInt16BE(set.length, 2);
  set.writeUInt16BE(TEMPLATE_ID, 4);
  set.writeUInt16BE(fields.length / 2, 6);
  for (const [i, value] of fields.entries()) set.writeUInt16BE(value, 8 + 2 * i);
  return messageOf(protocol, 1, set);
}

function templated(protocol: 'netflow9' | 'ipfix', flows: readonly BenchFlow[]): Buffer {
  const recordBytes = protocol === 'netflow9' ? 32 : IPFIX_RECORD;
  const set = Buffer.alloc(4 + recordBytes * flows.length);
  set.writeUInt16BE(TEMPLATE_ID, 0);
  set.writeUInt16BE(set.length, 2);
  for (const [i, flow] of flows.entries()) {
    const at = 4 + recordBytes * i;
    const durationMs = Math.floor(flow.durationUs / 1000);
    set.writeUInt32BE(addressOf(flow.originator.address), at);
    set.writeUInt32BE(addressOf(flow.responder.address), at + 4);
    set.writeUInt16BE(flow.ports.source, at + 8);
    set.writeUInt16BE(flow.ports.destination, at + 10);
    set.writeUInt8(flow.protocol, at + 12);
    set.writeUInt32BE(flow.originator.bytes, at + 16);
    set.writeUInt32BE(flow.originator.packets, at + 20);
    set.writeUInt32BE(protocol === 'netflow9' ? UPTIME_MS - durationMs : durationMs, at + 24);
    if (protocol === 'netflow9') set.writeUInt32BE(UPTIME_MS, at + 28);
  }
  return messageOf(protocol, flows.length, set);
}
