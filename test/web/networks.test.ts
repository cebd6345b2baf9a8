import { describe, expect, it } from 'vitest';
import {
  cidrOf,
  hasNetworks,
  inNetworks,
  prefixesWithin,
  prefixName,
} from '../../web/src/data/networks.ts';

const LENGTHS = { ipv4: 24, ipv6: 48 };

describe('networks in place of addresses', () => {
  it.each([
    ['IP', true],
    ['IPV4', true],
    ['IPV6', true],
    ['PORT', false],
    ['SUBNET', false],
    ['CROSSKEY', false],
  ] as const)('of keys of kind %s: %s', (keyKind, has) => {
    expect(hasNetworks({ keyKind })).toBe(has);
  });

  it.each([
    ['IP', '/24 (IPv6 /48)'],
    ['IPV4', '/24'],
    ['IPV6', '/48'],
  ] as const)('are named by the lengths that a group of kind %s can have: %s', (keyKind, name) => {
    expect(prefixName(LENGTHS, { keyKind })).toBe(name);
    expect(inNetworks(LENGTHS, { keyKind })).toBe(`in networks ${name}`);
    expect(inNetworks(null, { keyKind })).toBeNull();
  });

  // Must equal the `readable` of GraphQL; the browser tests compare the two.
  it.each([
    ['C0.A8.01.00/18', '192.168.1.0/24'],
    ['00.00.00.00/00', '0.0.0.0/0'],
    ['0A.00.00.17/20', '10.0.0.23/32'],
    ['20.01.0D.B8.00.0A.00.00.00.00.00.00.00.00.00.00/30', '2001:db8:a::/48'],
    ['00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.00/00', '::/0'],
    ['20.01.0D.B8.00.00.00.01.00.00.00.00.00.00.00.01/80', '2001:db8:0:1::1/128'],
  ])('%s is %s', (raw, cidr) => {
    expect(cidrOf(raw)).toBe(cidr);
  });

  it.each(['', 'C0.A8.01.0A', 'C0.A8.01/18', 'C0.A8.01.00/21', 'c0.a8.01.00/18', 'x/18'])(
    'are not "%s"',
    (raw) => {
      expect(cidrOf(raw)).toBeNull();
    },
  );

  it('lead to longer prefixes of their own family', () => {
    const within = (cidr: string) => prefixesWithin(cidr).map((prefix) => Object.values(prefix));
    expect(within('10.0.0.0/16')).toEqual([
      [24, 48],
      [32, 64],
    ]);
    expect(within('2001:db8::/32')).toEqual([
      [24, 48],
      [32, 64],
    ]);
    expect(within('10.0.0.1/32')).toEqual([]);
  });
});
