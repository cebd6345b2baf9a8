import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  destinationOptions,
  ethernet,
  hopByHop,
  ipv4,
  ipv6,
  labels,
  routing,
  segment,
  uint16s,
  vlan,
} from '../datagrams/sflow/build-frames.ts';
import {
  flowSample,
  formatted,
  rawHeader,
  sflowDatagram,
} from '../datagrams/sflow/encode-sflow.ts';
import { decodedLines, nfdumpLines } from './flow-lines.ts';

const TCP = 6;
const UDP = 17;

const tcp = (from: string): Buffer => ipv4(segment(51_000, 443), { protocol: TCP, from });
const udp6 = (from: string, ...extensions: Parameters<typeof ipv6>[2] & object): Buffer =>
  ipv6(segment(5_000, 53), { protocol: UDP, from }, extensions);

const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const VLAN = 0x8100;
const MPLS = 0x8847;

/** Frames that sfcapd reads as far as we do. The others of our tests it reads less far. */
const FRAMES: readonly Buffer[] = [
  ethernet(IPV4, tcp('10.0.0.1')),
  ethernet(IPV6, udp6('fd00::2')),
  ethernet(VLAN, vlan(IPV4, tcp('10.0.0.3'))),
  ethernet(0x88a8, vlan(VLAN, vlan(IPV6, udp6('fd00::4')))),
  ethernet(0x9100, vlan(0x9200, vlan(0x9300, vlan(IPV4, tcp('10.0.0.5'))))),
  ethernet(MPLS, labels(1, tcp('10.0.0.6'))),
  ethernet(MPLS, labels(4, udp6('fd00::7'))),
  ethernet(VLAN, vlan(MPLS, labels(2, tcp('10.0.0.8')))),
  ethernet(IPV6, udp6('fd00::9', hopByHop, destinationOptions, routing)),
  ethernet(IPV6, ipv6(Buffer.alloc(8), { protocol: 58, from: 'fd00::10' }, [hopByHop])),
  ethernet(IPV4, ipv4(segment(1, 2), { protocol: TCP, from: '10.0.0.11' }, Buffer.alloc(40))),
  ethernet(IPV4, ipv4(segment(1, 2), { protocol: UDP, from: '10.0.0.12', moreFragments: true })),
  ethernet(IPV4, ipv4(segment(1, 2), { protocol: UDP, from: '10.0.0.13', fragmentOffset: 185 })),
  ethernet(IPV4, ipv4(uint16s(0x0800, 0, 1, 1), { protocol: 1, from: '10.0.0.14' })),
  ethernet(IPV4, ipv4(tcp('10.0.0.15'), { protocol: 4, from: '10.0.0.16' })),
  // The sample ends behind the addresses.
  ethernet(IPV4, tcp('10.0.0.17')).subarray(0, 34),
  ethernet(IPV6, udp6('fd00::18')).subarray(0, 54),
];

const FIRST_BYTES: readonly (readonly [protocol: number, first: Buffer])[] = [
  [11, tcp('10.0.1.1')],
  [12, udp6('fd00::1:2')],
];

const EXTENDED = formatted(1001, Buffer.alloc(16));

describe('a datagram of sFlow', () => {
  it('brings what sfcapd stores of the same frames', async () => {
    const records = [
      ...FRAMES.map((frame, i) => rawHeader(frame, { frameBytes: 1_000 + i })),
      ...FIRST_BYTES.map(([protocol, first]) => rawHeader(first, { protocol, frameBytes: 900 })),
    ];
    const bytes = sflowDatagram([
      ...records.map((record, i) => flowSample([EXTENDED, record], { rate: i + 1 })),
      ...records.map((record) => flowSample([record, EXTENDED], { rate: 512, isExpanded: true })),
    ]);
    const { flows } = createDatagramDecoder().decode({
      bytes,
      address: '127.0.0.1',
      port: 1,
      receivedMs: Date.now(),
    });
    expect(flows).toHaveLength(2 * (FRAMES.length + FIRST_BYTES.length));
    expect(decodedLines(flows, 'without times')).toEqual(
      await nfdumpLines('sfcapd', [bytes], { times: 'without times' }),
    );
  });
});
