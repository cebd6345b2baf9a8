import { describe, expect, it } from 'vitest';
import {
  authentication,
  destinationOptions,
  type Extension,
  ethernet,
  fragment,
  hopByHop,
  hostIdentity,
  ipv4,
  ipv6,
  labels,
  mobility,
  pppoe,
  routing,
  segment,
  shim6,
  uint16s,
  vlan,
} from './build-frames.ts';
import { outcomeOf } from './decode-samples.ts';
import { flowSample, rawHeader } from './encode-sflow.ts';

const ICMP = 1;
const TCP = 6;
const UDP = 17;
const GRE = 47;
const ESP = 50;
const ICMPV6 = 58;
const NO_NEXT = 59;
const SCTP = 132;

const tcp4 = ipv4(segment(51_000, 443), { protocol: TCP });
const tcp6 = ipv6(segment(51_000, 443), { protocol: TCP });
const FLOW_4 = '6 192.0.2.7 51000 > 198.51.100.9 443';
const FLOW_6 = '6 2001:db8::7 51000 > 2001:db8:1::9 443';

/** What the first bytes of a packet of 1,000 bytes bring, without its amounts. */
const found = (first: Buffer, protocol = 1): string[] =>
  outcomeOf(flowSample([rawHeader(first, { protocol, frameBytes: 1_000 })])).map((line) =>
    line.replace(', 1000 in 1', ''),
  );

const arp = Buffer.alloc(28);

describe('a frame', () => {
  it.each<readonly [string, Buffer, string]>([
    ['IPv4', ethernet(0x0800, tcp4), FLOW_4],
    ['IPv6', ethernet(0x86dd, tcp6), FLOW_6],
    ['a VLAN', ethernet(0x8100, vlan(0x0800, tcp4)), FLOW_4],
    ['a VLAN within another', ethernet(0x88a8, vlan(0x8100, vlan(0x86dd, tcp6))), FLOW_6],
    ['tags from before the standard', ethernet(0x9100, vlan(0x9200, vlan(0x0800, tcp4))), FLOW_4],
    [
      'eight tags',
      ethernet(
        0x9300,
        [1, 2, 3, 4, 5, 6, 7].reduce((inner) => vlan(0x8100, inner), vlan(0x0800, tcp4)),
      ),
      FLOW_4,
    ],
    ['one MPLS label', ethernet(0x8847, labels(1, tcp4)), FLOW_4],
    ['nine MPLS labels', ethernet(0x8847, labels(9, tcp6)), FLOW_6],
    ['MPLS of the other type', ethernet(0x8848, labels(2, tcp4)), FLOW_4],
    ['MPLS in a VLAN', ethernet(0x8100, vlan(0x8847, labels(2, tcp4))), FLOW_4],
    ['PPPoE with IPv4', ethernet(0x8864, pppoe(0x0021, tcp4)), FLOW_4],
    ['PPPoE with IPv6 in a VLAN', ethernet(0x8100, vlan(0x8864, pppoe(0x0057, tcp6))), FLOW_6],
    ['ARP', ethernet(0x0806, arp), 'notIp'],
    ['ARP in a VLAN', ethernet(0x8100, vlan(0x0806, arp)), 'notIp'],
    ['LLC, whose type is a length', ethernet(1_500, tcp4), 'notIp'],
    ['Ethernet in MPLS', ethernet(0x8847, labels(1, ethernet(0x0800, tcp4))), 'notIp'],
    ['a pseudowire in MPLS', ethernet(0x8847, labels(1, Buffer.alloc(64))), 'notIp'],
    ['the discovery of PPPoE', ethernet(0x8863, pppoe(0x0021, tcp4)), 'notIp'],
    ['the control of PPP', ethernet(0x8864, pppoe(0xc021, tcp4)), 'notIp'],
    ['IP of another version', ethernet(0x0800, Buffer.alloc(40, 0x55)), 'notIp'],
    ['IPv4 with a header that is too short', ethernet(0x0800, Buffer.alloc(40, 0x44)), 'notIp'],
  ])('with %s', (_, frame, expected) => {
    expect(found(frame)).toEqual([expected]);
  });

  it.each([
    ['IPv4', 11, tcp4, FLOW_4],
    ['IPv6', 12, tcp6, FLOW_6],
    ['MPLS', 13, labels(3, tcp4), FLOW_4],
    ['token ring', 3, ethernet(0x0800, tcp4), 'notIp'],
    ['PPP', 7, Buffer.concat([uint16s(0x0021), tcp4]), 'notIp'],
    ['a header of the future', 4_294_967_295, tcp4, 'notIp'],
  ] as const)('may begin with %s', (_, protocol, first, expected) => {
    expect(found(first, protocol)).toEqual([expected]);
  });
});

describe('a packet', () => {
  it.each<readonly [string, Buffer, string]>([
    ['UDP', ipv4(segment(5_000, 53), { protocol: UDP }), '17 192.0.2.7 5000 > 198.51.100.9 53'],
    ['SCTP', ipv4(segment(9, 36_412), { protocol: SCTP }), '132 192.0.2.7 9 > 198.51.100.9 36412'],
    ['ICMP', ipv4(uint16s(0x0800), { protocol: ICMP }), '1 192.0.2.7 > 198.51.100.9'],
    ['ICMPv6', ipv6(uint16s(0x8000), { protocol: ICMPV6 }), '58 2001:db8::7 > 2001:db8:1::9'],
    ['a tunnel', ipv4(tcp4, { protocol: 4 }), '4 192.0.2.7 > 198.51.100.9'],
    [
      'GRE',
      ipv4(Buffer.concat([uint16s(0, 0x0800), tcp4]), { protocol: GRE }),
      '47 192.0.2.7 > 198.51.100.9',
    ],
    [
      'options',
      ipv4(segment(1, 2), { protocol: TCP }, Buffer.alloc(40)),
      '6 192.0.2.7 1 > 198.51.100.9 2',
    ],
    [
      'the first of its fragments',
      ipv4(segment(1, 2), { protocol: UDP, moreFragments: true }),
      '17 192.0.2.7 1 > 198.51.100.9 2',
    ],
    [
      'another fragment, which has no ports',
      ipv4(segment(1, 2), { protocol: UDP, fragmentOffset: 1 }),
      '17 192.0.2.7 0 > 198.51.100.9 0',
    ],
    [
      'the last possible fragment',
      ipv4(segment(1, 2), { protocol: TCP, fragmentOffset: 0x1fff }),
      '6 192.0.2.7 0 > 198.51.100.9 0',
    ],
    [
      'a fragment of a protocol without ports',
      ipv4(segment(1, 2), { protocol: ICMP, fragmentOffset: 185 }),
      '1 192.0.2.7 > 198.51.100.9',
    ],
  ])('with %s', (_, packet, expected) => {
    const [version = 0] = packet;
    expect(found(ethernet(version >> 4 === 4 ? 0x0800 : 0x86dd, packet))).toEqual([expected]);
  });
});

describe('the extension headers of IPv6', () => {
  const ALL = [
    hopByHop,
    destinationOptions,
    routing,
    fragment(0),
    authentication,
    mobility,
    hostIdentity,
    shim6,
  ];

  const of = (extensions: readonly Extension[], protocol: number): string[] =>
    found(ethernet(0x86dd, ipv6(segment(51_000, 443), { protocol }, extensions)));

  it.each(ALL)('are skipped: %d', (...extension) => {
    expect(of([extension], TCP)).toEqual([FLOW_6]);
  });

  it('are skipped in any order and number', () => {
    expect(of(ALL, TCP)).toEqual([FLOW_6]);
    expect(of([...ALL, ...ALL].reverse(), TCP)).toEqual([FLOW_6]);
  });

  it.each([ESP, NO_NEXT, 253])('end with %d, which says nothing of what follows', (protocol) => {
    expect(of([hopByHop], protocol)).toEqual([`${protocol} 2001:db8::7 > 2001:db8:1::9`]);
  });

  it('do not say the ports of a fragment other than the first', () => {
    expect(of([hopByHop, fragment(1)], TCP)).toEqual(['6 2001:db8::7 0 > 2001:db8:1::9 0']);
    expect(of([fragment(0x1fff)], UDP)).toEqual(['17 2001:db8::7 0 > 2001:db8:1::9 0']);
  });

  it('do not say the protocol of such a fragment if it began with an extension header', () => {
    expect(of([fragment(1), destinationOptions], TCP)).toEqual(['255 2001:db8::7 > 2001:db8:1::9']);
  });
});

describe('a header that the exporter has cut off', () => {
  /** What is found in the first 0, 1, 2 … bytes, as ranges of lengths with the same result. */
  function byLength(whole: Buffer): (readonly [from: number, result: string])[] {
    const results = Array.from({ length: whole.length + 1 }, (_, length) =>
      found(whole.subarray(0, length)).join(),
    );
    return results
      .map((result, length) => [length, result] as const)
      .filter(([length, result]) => result !== results[length - 1]);
  }

  it('is IPv4 from the last byte of the addresses on, with ports from their last byte on', () => {
    expect(byLength(ethernet(0x0800, tcp4))).toEqual([
      [0, 'truncated 1'],
      [34, '6 192.0.2.7 0 > 198.51.100.9 0'],
      [38, FLOW_4],
    ]);
  });

  it('has no ports if it ends within the options of IPv4', () => {
    const packet = ipv4(segment(51_000, 443), { protocol: TCP }, Buffer.alloc(8));
    expect(byLength(ethernet(0x0800, packet))).toEqual([
      [0, 'truncated 1'],
      [34, '6 192.0.2.7 0 > 198.51.100.9 0'],
      [46, FLOW_4],
    ]);
  });

  it('is IPv6 from the last byte of the addresses on', () => {
    expect(byLength(ethernet(0x86dd, tcp6))).toEqual([
      [0, 'truncated 1'],
      [54, '6 2001:db8::7 0 > 2001:db8:1::9 0'],
      [58, FLOW_6],
    ]);
  });

  it('does not say its protocol if it ends before the extension header that does', () => {
    const packet = ipv6(segment(51_000, 443), { protocol: TCP }, [hopByHop, destinationOptions]);
    expect(byLength(ethernet(0x86dd, packet))).toEqual([
      [0, 'truncated 1'],
      [54, '255 2001:db8::7 > 2001:db8:1::9'],
      // Both start within the first four bytes of the second extension header.
      [66, '6 2001:db8::7 0 > 2001:db8:1::9 0'],
      [90, FLOW_6],
    ]);
  });

  it.each<readonly [string, Buffer, number]>([
    ['in tags', ethernet(0x8100, vlan(0x88a8, vlan(0x0806, arp))), 22],
    ['before its type', ethernet(0x0806, arp), 14],
    ['before the protocol of PPP', ethernet(0x8864, pppoe(0xc021, arp)), 22],
    ['before what is below the labels', ethernet(0x8847, labels(4, arp)), 31],
  ])('is refused if it ends %s', (_, whole, length) => {
    expect(byLength(whole)).toEqual([
      [0, 'truncated 1'],
      [length, 'notIp'],
    ]);
  });
});
