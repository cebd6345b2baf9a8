import {
  ACK,
  type CapturedPacket,
  FIN,
  pingFrame,
  SYN,
  tcpFrame,
  udpFrame,
} from '../../support/files/packet-capture.ts';

/** NetFlow v5 has only times of the last few weeks. */
const START_MS = Date.now() - 3_600_000;
const LAST_MS = START_MS + 30_010;

const QUERIES = 100;
const CONNECTIONS = 40;

const server = { from: '2001:db8::7', sourcePort: 443 };

/** A question of UDP over IPv4, and its answer. */
const query = (i: number): CapturedPacket[] => {
  const ends = { from: `10.0.0.${i}`, to: '8.8.8.8', sourcePort: 5_000 + i, port: 53 };
  const back = { from: ends.to, to: ends.from, sourcePort: 53, port: ends.sourcePort };
  return [
    { atMs: START_MS + i * 100, frame: udpFrame(ends, 30 + i) },
    { atMs: START_MS + i * 100 + 7, frame: udpFrame(back, 200 + i) },
  ];
};

/** A TCP connection of some seconds over IPv6. */
const connection = (i: number): CapturedPacket[] => {
  const client = `fd00::${(i + 1).toString(16)}`;
  const ends = { from: client, to: server.from, sourcePort: 40_000 + i, port: 443 };
  const back = { ...server, to: client, port: ends.sourcePort };
  const startMs = START_MS + 20_000 + i * 10;
  return [
    { atMs: startMs, frame: tcpFrame({ ...ends, flags: SYN }) },
    { atMs: startMs + 3, frame: tcpFrame({ ...back, flags: SYN | ACK }) },
    { atMs: startMs + 500, frame: tcpFrame({ ...ends, flags: ACK }, 1_000 + i) },
    { atMs: startMs + 5_000, frame: tcpFrame({ ...ends, flags: ACK | FIN }, 100) },
  ];
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** When the first and the last packet were seen, in milliseconds since 1970. */
export const TRAFFIC_SPAN = { firstMs: START_MS, lastMs: LAST_MS } as const;

/** IPv4 and IPv6, with UDP, TCP and ICMP: more flows than fit in one datagram of any exporter. */
export const TRAFFIC: readonly CapturedPacket[] = [
  ...numbers(QUERIES).flatMap(query),
  ...numbers(CONNECTIONS).flatMap(connection),
  { atMs: START_MS + 30_000, frame: pingFrame({ from: '10.0.0.3', to: '10.0.0.4' }, 10) },
  { atMs: LAST_MS, frame: pingFrame({ from: 'fd00::1', to: 'fd00::2' }, 10) },
].sort((a, b) => a.atMs - b.atMs);

const ETHERNET_BYTES = 14;
const IPV4_TYPE = 0x0800;

const sumsOf = (packets: readonly CapturedPacket[]) => ({
  bytes: packets.reduce((sum, { frame }) => sum + frame.length - ETHERNET_BYTES, 0),
  packets: packets.length,
});

const isIpv4 = ({ frame }: CapturedPacket): boolean => frame.readUInt16BE(12) === IPV4_TYPE;

/** What each version of NetFlow reports of it: version 5 has no IPv6, and 10 is IPFIX. */
export const TRAFFIC_SUMS = {
  5: sumsOf(TRAFFIC.filter(isIpv4)),
  9: sumsOf(TRAFFIC),
  10: sumsOf(TRAFFIC),
} as const;
