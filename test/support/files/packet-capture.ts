/** A packet of a capture: when it was seen, and the frame. */
export type CapturedPacket = { readonly atMs: number; readonly frame: Buffer };

type Ends = { readonly from: string; readonly to: string };

const ETHERNET = '020000000001020000000002';

/** An Ethernet frame with an IPv4 or IPv6 packet, depending on the addresses. */
function ipFrame({ from, to }: Ends, protocol: number, payload: Buffer): Buffer {
  if (from.includes(':')) {
    const header = Buffer.alloc(8);
    header[0] = 0x60;
    header.writeUInt16BE(payload.length, 4);
    header.set([protocol, 64], 6);
    const kind = Buffer.from(`${ETHERNET}86dd`, 'hex');
    return Buffer.concat([kind, header, ipv6Bytes(from), ipv6Bytes(to), payload]);
  }
  const header = Buffer.alloc(12);
  header[0] = 0x45;
  header.writeUInt16BE(20 + payload.length, 2);
  header.set([64, protocol], 8);
  const kind = Buffer.from(`${ETHERNET}0800`, 'hex');
  return Buffer.concat([kind, header, ipv4Bytes(from), ipv4Bytes(to), payload]);
}

const ipv4Bytes = (text: string): Buffer => Buffer.from(text.split('.').map(Number));

/** Only for addresses that contain `::`. */
function ipv6Bytes(text: string): Buffer {
  const [head = [], tail = []] = text
    .split('::')
    .map((part) => part.split(':').filter((word) => word !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const words = [...head, ...zeros, ...tail].map((word) => Number.parseInt(word, 16));
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

export const SYN = 0x02;
export const ACK = 0x10;
export const FIN = 0x01;

type Ports = { readonly sourcePort: number; readonly port: number };

export function tcpFrame(ends: Ends & Ports & { flags: number }, payloadBytes = 0): Buffer {
  const segment = Buffer.alloc(20 + payloadBytes);
  segment.writeUInt16BE(ends.sourcePort, 0);
  segment.writeUInt16BE(ends.port, 2);
  segment.set([0x50, ends.flags], 12);
  return ipFrame(ends, 6, segment);
}

export function udpFrame(ends: Ends & Ports, payloadBytes: number): Buffer {
  const datagram = Buffer.alloc(8 + payloadBytes);
  datagram.writeUInt16BE(ends.sourcePort, 0);
  datagram.writeUInt16BE(ends.port, 2);
  datagram.writeUInt16BE(datagram.length, 4);
  return ipFrame(ends, 17, datagram);
}

/** An echo request. */
export function pingFrame(ends: Ends, payloadBytes: number): Buffer {
  const isIpv6 = ends.from.includes(':');
  const message = Buffer.alloc(8 + payloadBytes);
  message[0] = isIpv6 ? 128 : 8;
  return ipFrame(ends, isIpv6 ? 58 : 1, message);
}

const ETHERNET_BYTES = 14;
const GRE_OF_IPV4 = Buffer.from('00000800', 'hex');

/** An IPv4 frame within a tunnel. */
export function tunnelFrame(ends: Ends & { by: 'IPIP' | 'GRE' }, frame: Buffer): Buffer {
  const packet = frame.subarray(ETHERNET_BYTES);
  return ends.by === 'IPIP'
    ? ipFrame(ends, 4, packet)
    : ipFrame(ends, 47, Buffer.concat([GRE_OF_IPV4, packet]));
}

/** A file as tcpdump writes it. */
export function pcapFile(packets: readonly CapturedPacket[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(1, 20);
  return Buffer.concat([
    header,
    ...packets.flatMap(({ atMs, frame }) => [record(atMs, frame), frame]),
  ]);
}

function record(atMs: number, frame: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(atMs / 1000), 0);
  header.writeUInt32LE((atMs % 1000) * 1000, 4);
  header.writeUInt32LE(frame.length, 8);
  header.writeUInt32LE(frame.length, 12);
  return header;
}
