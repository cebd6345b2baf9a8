import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyText, parseReadableKey } from '../../../domain/keys/key-text.ts';
import { addressScopes, DEFAULT_HOME } from '../../../ingest/flows/address-scope.ts';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { FLOW_GROUPS, type FlowGroupName } from '../../../ingest/flows/flow-groups.ts';
import { flowPieces, flowReadings } from '../../../ingest/flows/flow-readings.ts';
import type { Whole } from '../../../ingest/whole.ts';

function key(address: string): KeyText {
  const parsed = parseReadableKey('ip', address);
  if (parsed === null) throw new Error(`${address} is not an address`);
  return parsed;
}

const T0 = 1_700_000_040;

type FlowParts = {
  from?: string;
  to?: string;
  sent?: Whole;
  answered?: Whole;
  startUs?: number;
  durationUs?: number;
  protocol?: number;
  port?: number | null;
  /** The source's port, for a flow that is reported in one direction. */
  sourcePort?: number | null;
};

const flow = ({
  from = '10.0.0.1',
  to = '198.51.100.1',
  sent = 100,
  answered = 1000,
  startUs = T0 * 1e6,
  durationUs = 0,
  protocol = 6,
  port = 80,
  sourcePort,
}: FlowParts): Flow => ({
  startUs,
  durationUs,
  protocol,
  ports: port === null ? null : { source: sourcePort ?? null, destination: port },
  portRule: sourcePort === undefined ? 'destination' : 'registered',
  originator: { address: key(from), bytes: sent, packets: 2 },
  responder: { address: key(to), bytes: answered, packets: 3 },
});

type Given = { group: FlowGroupName; bucket: number; key: string; amounts: (Whole | null)[] };

const ALL = Object.keys(FLOW_GROUPS) as FlowGroupName[];

/** All readings of a flow, piece by piece, or those of some groups only. */
function readingsOf(
  parts: FlowParts,
  { only = ALL, bucketSeconds = 60, home = DEFAULT_HOME } = {},
): Given[] {
  const given: Given[] = [];
  const options = {
    groups: new Map([[bucketSeconds, new Set(only)]]),
    scopeOf: addressScopes(home),
    geoOf: null,
    sink: (
      group: FlowGroupName,
      bucket: number,
      { text }: { text: string },
      amounts: readonly (Whole | null)[],
    ) => {
      given.push({ group, bucket, key: text, amounts: [...amounts] });
    },
  };
  for (const piece of flowPieces(flow(parts))) flowReadings(options, flow(parts), piece);
  return given;
}

/** The readings as `key: amounts`, for flows within one bucket. */
const lines = (parts: FlowParts, only: FlowGroupName, home = DEFAULT_HOME): string[] =>
  readingsOf(parts, { only: [only], home }).map(
    (given) => `${given.key}: ${given.amounts.join(' ')}`,
  );

describe('the keys that a flow counts for', () => {
  it('are both ends in Hosts, each with what it received and sent', () => {
    expect(lines({}, 'hosts')).toEqual([
      '0A.00.00.01: 1100 1000 100 5 1',
      'C6.33.64.01: 1100 100 1000 5 1',
    ]);
  });

  it('are each end separately, even if both have the same address', () => {
    const parts = { from: '10.0.0.1', to: '10.0.0.1' };
    expect(lines(parts, 'hosts')).toEqual([
      '0A.00.00.01: 1100 1000 100 5 1',
      '0A.00.00.01: 1100 100 1000 5 1',
    ]);
    expect(lines(parts, 'hostApps')).toEqual([
      '0A.00.00.01\\00.50: 1100 1',
      '0A.00.00.01\\00.50: 1100 1',
    ]);
    expect(lines(parts, 'hostPairs')).toEqual(['0A.00.00.01\\0A.00.00.01: 1100 1']);
  });

  it('are the responder port, the protocol, both cross-keys and the total', () => {
    expect(lines({ port: 65_535 }, 'apps')).toEqual(['FF.FF: 1100 1000 100 1']);
    expect(lines({}, 'protocols')).toEqual(['06: 1100 5 1']);
    expect(lines({}, 'hostApps')).toEqual([
      '0A.00.00.01\\00.50: 1100 1',
      'C6.33.64.01\\00.50: 1100 1',
    ]);
    expect(lines({}, 'hostPairs')).toEqual(['0A.00.00.01\\C6.33.64.01: 1100 1']);
    expect(lines({}, 'aggregates')[0]).toBe('TOTALBW: 1100 5');
  });

  it.each([
    ['in both directions', { port: 0 }],
    ['in one direction', { port: 0, sourcePort: 0 }],
  ])('are in no group of ports for SCTP without ports: %s', (_, ports) => {
    expect(lines({ ...ports, protocol: 132 }, 'apps')).toEqual([]);
    expect(lines({ ...ports, protocol: 132 }, 'hostApps')).toEqual([]);
    expect(lines({ ...ports, protocol: 17 }, 'apps')).toHaveLength(1);
  });

  it.each<[number | null, number, string, string]>([
    [443, 51_000, '01.BB', 'the registered one, where a server answers'],
    [51_000, 443, '01.BB', 'the registered one, where a client asks'],
    [50_002, 50_001, 'C3.51', 'the lower of two that are not registered'],
    [null, 51_000, 'C7.38', 'the only one that is known'],
  ])('of one-way flows from port %s to %d are port %s: %s', (sourcePort, port, app) => {
    expect(lines({ sourcePort, port }, 'apps')).toEqual([`${app}: 1100 1000 100 1`]);
    expect(lines({ sourcePort, port }, 'hostApps')).toEqual([
      `0A.00.00.01\\${app}: 1100 1`,
      `C6.33.64.01\\${app}: 1100 1`,
    ]);
  });

  it('are in no port group if the flow has no ports', () => {
    expect(lines({ protocol: 1, port: null }, 'apps')).toEqual([]);
    expect(lines({ protocol: 1, port: null }, 'hostApps')).toEqual([]);
    expect(lines({ protocol: 1, port: null }, 'hosts')).toHaveLength(2);
  });

  const OUTSIDE = '198.51.100.1';
  it.each([
    ['a host of RFC 1918', '10.0.0.1', 'internal'],
    ['the last host of 10.0.0.0/8', '10.255.255.255', 'internal'],
    ['the first host after 10.0.0.0/8', '11.0.0.0', 'external'],
    ['the last host before 172.16.0.0/12', '172.15.255.255', 'external'],
    ['the first host of 172.16.0.0/12', '172.16.0.0', 'internal'],
    ['the last host of 172.16.0.0/12', '172.31.255.255', 'internal'],
    ['the first host after 172.16.0.0/12', '172.32.0.0', 'external'],
    ['a host of 192.168.0.0/16', '192.168.255.255', 'internal'],
    ['the first host after 192.168.0.0/16', '192.169.0.0', 'external'],
    ['a unique local IPv6 address', 'fdff::1', 'internal'],
    [
      'the last IPv6 address before fc00::/7',
      'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      'external',
    ],
    ['the first IPv6 address after fc00::/7', 'fe00::', 'external'],
    ['a global IPv6 address', '2001:db8::1', 'external'],
    ['an address of carrier-grade NAT', '100.64.0.1', 'external'],
    ['a link-local IPv4 address', '169.254.1.1', 'neither'],
    ['a link-local IPv6 address', 'fe80::1', 'neither'],
    ['the last link-local IPv6 address', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'neither'],
    ['the first IPv6 address after fe80::/10', 'fec0::', 'external'],
    ['the IPv4 loopback', '127.0.0.1', 'neither'],
    ['the IPv6 loopback', '::1', 'neither'],
    ['an IPv4 multicast address', '224.0.0.251', 'neither'],
    ['the last IPv4 multicast address', '239.255.255.255', 'neither'],
    ['the first address after 224.0.0.0/4', '240.0.0.0', 'external'],
    ['an IPv6 multicast address', 'ff02::fb', 'neither'],
    ['the broadcast address', '255.255.255.255', 'neither'],
    ['the address before the broadcast address', '255.255.255.254', 'external'],
    ['the unspecified IPv4 address', '0.0.0.0', 'neither'],
    ['the unspecified IPv6 address', '::', 'neither'],
    ['the broadcast address of a home network', '192.168.1.255', 'internal'],
  ])('are internal or external hosts: %s', (_, address, expected) => {
    const is = (group: FlowGroupName) =>
      lines({ from: address, to: OUTSIDE }, group).some((line) =>
        line.startsWith(`${key(address)}:`),
      );
    expect({ internal: is('internalHosts'), external: is('externalHosts') }).toEqual({
      internal: expected === 'internal',
      external: expected === 'external',
    });
    expect(is('hosts')).toBe(true);
  });

  it('depend on the home networks that are given', () => {
    const home = ['198.51.100.0/24', 'fe80::/10', '192.0.2.7'];
    const internal = (from: string) => lines({ from, to: '8.8.8.8' }, 'internalHosts', home).length;
    expect(internal('198.51.100.77')).toBe(1);
    expect(internal('10.0.0.1')).toBe(0);
    expect(internal('fe80::1')).toBe(1);
    expect(internal('192.0.2.7')).toBe(1);
    expect(internal('192.0.2.8')).toBe(0);
  });
});

describe('the direction of traffic', () => {
  const HOME = '10.0.0.1';
  const OUT = '198.51.100.1';
  const MULTICAST = '224.0.0.251';

  it.each([
    [HOME, OUT, ['DIR_OUTOFHOME: 100 2', 'DIR_INTOHOME: 1000 3'], '1100 1000 100 1'],
    [OUT, HOME, ['DIR_INTOHOME: 100 2', 'DIR_OUTOFHOME: 1000 3'], '1100 100 1000 1'],
    [HOME, '10.0.0.2', ['DIR_WITHINHOME: 100 2', 'DIR_WITHINHOME: 1000 3'], '1100 0 0 1'],
    [OUT, '198.51.100.2', ['DIR_TRANSIT: 100 2', 'DIR_TRANSIT: 1000 3'], '1100 0 0 1'],
    // Addresses that cannot be routed count as home.
    [HOME, MULTICAST, ['DIR_WITHINHOME: 100 2', 'DIR_WITHINHOME: 1000 3'], '1100 0 0 1'],
    [OUT, MULTICAST, ['DIR_INTOHOME: 100 2', 'DIR_OUTOFHOME: 1000 3'], '1100 100 1000 1'],
    [
      '0.0.0.0',
      '255.255.255.255',
      ['DIR_WITHINHOME: 100 2', 'DIR_WITHINHOME: 1000 3'],
      '1100 0 0 1',
    ],
    ['fe80::1', '2001:db8::1', ['DIR_OUTOFHOME: 100 2', 'DIR_INTOHOME: 1000 3'], '1100 1000 100 1'],
  ])('from %s to %s is determined for each side separately', (from, to, directions, app) => {
    expect(lines({ from, to }, 'aggregates').slice(1)).toEqual(directions);
    expect(lines({ from, to }, 'apps')).toEqual([`00.50: ${app}`]);
  });
});

describe('the buckets of a flow', () => {
  const SECOND = 1_000_000;
  const start = T0 - (T0 % 60);

  const buckets = (parts: FlowParts, bucketSeconds = 60) =>
    readingsOf(parts, { only: ['protocols'], bucketSeconds }).map(
      ({ bucket, amounts }) => `${(bucket - start) / bucketSeconds}: ${amounts.join(' ')}`,
    );

  it.each<[string, number, number, string[]]>([
    ['without a duration at a boundary', 0, 0, ['0: 1100 5 1']],
    ['without a duration just before a boundary', 59_999_999, 0, ['0: 1100 5 1']],
    ['that ends at a boundary', 0, 60 * SECOND, ['0: 1100 5 1']],
    ['that ends just after a boundary', 0, 60 * SECOND + 1, ['0: 1098 3 1', '1: 2 2 ']],
    ['over halves of two buckets', 30 * SECOND, 60 * SECOND, ['0: 550 2 1', '1: 550 3 ']],
    ['over three buckets', 30 * SECOND, 120 * SECOND, ['0: 275 0 1', '1: 550 3 ', '2: 275 2 ']],
  ])('%s', (_, offsetUs, durationUs, expected) => {
    expect(buckets({ startUs: start * 1e6 + offsetUs, durationUs })).toEqual(expected);
  });

  it('all get a reading, even one of 0', () => {
    const parts = { startUs: start * 1e6, durationUs: 240 * SECOND, sent: 1, answered: 0 };
    expect(buckets(parts).map((line) => line.split(' ')[1])).toEqual(['0', '0', '0', '1']);
  });

  it('have the bucket size of the group', () => {
    const parts = { startUs: start * 1e6 + 50 * SECOND, durationUs: 20 * SECOND };
    expect(buckets(parts, 10)).toHaveLength(2);
    const day = (T0 - (T0 % 86_400) - start) / 86_400;
    expect(buckets(parts, 86_400)).toEqual([`${day}: 1100 5 1`]);
  });

  it('conserve every amount of every group, however long the flow and whatever its buckets', () => {
    const parts = fc.record({
      sent: fc.integer({ min: 0, max: 10 ** 12 }),
      answered: fc
        .bigInt({ min: 0n, max: 2n ** 60n })
        .map((n): Whole => (n < 2 ** 53 ? Number(n) : n)),
      startUs: fc.integer({ min: start * 1e6, max: start * 1e6 + 10 ** 10 }),
      durationUs: fc.integer({ min: 0, max: 3 * 10 ** 10 }),
    });
    const size = fc.constantFrom(60, 300, 900, 1440, 3600, 7200, 86_400);
    fc.assert(
      fc.property(parts, size, ({ sent, answered, ...time }, bucketSeconds) => {
        const totals = new Map<string, (bigint | null)[]>();
        const seen = new Set<string>();
        for (const given of readingsOf({ sent, answered, ...time }, { bucketSeconds })) {
          const sums = totals.get(`${given.group} ${given.key}`) ?? given.amounts.map(() => 0n);
          const added = sums.map((sum, i) => (sum ?? 0n) + BigInt(given.amounts[i] ?? 0));
          totals.set(`${given.group} ${given.key}`, added);
          expect(given.bucket % bucketSeconds).toBe(0);
          seen.add(`${given.bucket}`);
        }
        const s = BigInt(sent);
        const a = BigInt(answered);
        expect(totals.get('hosts 0A.00.00.01')).toEqual([s + a, a, s, 5n, 1n]);
        expect(totals.get('internalHosts 0A.00.00.01')).toEqual([s + a, a, s, 5n, 1n]);
        expect(totals.get('externalHosts C6.33.64.01')).toEqual([s + a, s, a, 5n, 1n]);
        expect(totals.get('apps 00.50')).toEqual([s + a, a, s, 1n]);
        expect(totals.get('protocols 06')).toEqual([s + a, 5n, 1n]);
        expect(totals.get('aggregates TOTALBW')).toEqual([s + a, 5n]);
        expect(totals.get('aggregates DIR_OUTOFHOME')).toEqual([s, 2n]);
        expect(totals.get('aggregates DIR_INTOHOME')).toEqual([a, 3n]);
        expect(totals.get('hostPairs 0A.00.00.01\\C6.33.64.01')).toEqual([s + a, 1n]);
        const first = Math.floor(time.startUs / 1e6 / bucketSeconds);
        const end = (time.startUs + Math.max(time.durationUs, 1)) / 1e6 / bucketSeconds;
        expect(seen.size).toBe(Math.ceil(end) - first);
      }),
      { numRuns: 60 },
    );
  });
});
