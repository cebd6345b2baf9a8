import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseReadableKey } from '../../../domain/keys/key-text.ts';
import { networkOf } from '../../engine/plain-networks.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type Line, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

const HOSTS = guidOf(1);
const TEXTS = guidOf(2);
const PAIRS = guidOf(3);

/** One meter of every type that can be ranked. */
const METERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((type) => meter(type, type));

/** A group of addresses; its twins count the networks of the addresses as their own keys. */
const RANDOM = { guid: guidOf(20), kind: 'ip' } as const;
const LENGTHS = [
  { ipv4: 24, ipv6: 48 },
  { ipv4: 0, ipv6: 0 },
  { ipv4: 32, ipv6: 128 },
  { ipv4: 21, ipv6: 33 },
  { ipv4: 31, ipv6: 127 },
];
const SHAPE = { meters: METERS, sampling_rate: 3 };
const twinOf = (place: number): string => guidOf(30 + place);

const ADDRESSES = [
  '0A.00.00.01',
  '0A.00.00.02',
  '0A.00.01.01',
  '0A.00.08.01',
  'C0.A8.01.00',
  'C0.A8.01.FF',
  '20.01.0D.B8',
  '20.01.0D.B9',
  'FF.FF.FF.FF',
  '00.00.00.00',
  ...['01', '02', 'FF'].map((last) => `20.01.0D.B8${'.00'.repeat(11)}.${last}`),
  `20.01.0D.B8.00.01${'.00'.repeat(9)}.01`,
  `20.01.8D.B8${'.00'.repeat(12)}`,
  `0A.00.00.01${'.00'.repeat(12)}`,
];

const randomLines = (): Line[] =>
  fc
    .sample(
      fc.record({
        key: fc.constantFrom(...ADDRESSES),
        at: fc.nat(2 * DAY - 1),
        value: fc.nat(9),
        probe: fc.boolean(),
      }),
      { numRuns: 500, seed: 5 },
    )
    .flatMap(({ key, at, value, probe }) => {
      const reading = {
        ts: T0 + at,
        values: Object.fromEntries(METERS.map(({ id }) => [id, value])),
        ...(probe && { probe: 'p1' }),
      };
      const twins = LENGTHS.map((prefix, place) => ({
        group: twinOf(place),
        key: networkOf(key, prefix),
        ...reading,
      }));
      return [{ group: RANDOM.guid, key, ...reading }, ...twins];
    });

let lab: TestService;

beforeAll(async () => {
  const line = (address: string, at: number, value: number): Line => ({
    group: HOSTS,
    key: parseReadableKey('ip', address) ?? '',
    ts: T0 + at,
    values: { 0: value, 5: value },
  });
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip', meters: [meter(0, 2), meter(5, 5)] }),
      group(2),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: TEXTS },
      }),
      group(20, { key_kind: RANDOM.kind, ...SHAPE }),
      ...LENGTHS.map((_, place) => group(30 + place, { key_kind: 'subnet', ...SHAPE })),
    ],
    lines: [
      line('192.168.1.10', 0, 5),
      line('192.168.1.10', 300, 10),
      line('192.168.1.20', 300, 30),
      line('192.168.2.1', 300, 25),
      line('192.168.2.1', 600, 25),
      line('10.0.0.1', 600, 1),
      line('2001:db8::1', 600, 7),
      line('2001:db8:0:1::', 600, 7),
      line('192.168.3.1', 600, 0),
      { group: PAIRS, key: 'C0.A8.01.0A\\web', ts: T0 + 300, values: { 0: 1 } },
      ...randomLines(),
    ],
  });
});

afterAll(() => lab.close());

const inHosts = (args: string, fields: string): string =>
  `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { topper(
    window: { interval: { from: ${T0 + 300}, to: ${T0 + 900} } } ${args}) { ${fields} } } } }`;

type Answer = { context: { counterGroup: { topper: Record<string, unknown> } } };

const ask = async (args: string, fields: string): Promise<Record<string, unknown>> =>
  (await lab.data<Answer>(inHosts(args, fields))).context.counterGroup.topper;

describe('a topper of networks', () => {
  it('ranks networks instead of addresses, /24 and /48 by default', async () => {
    const fields = 'total others keyCount keys { rank key readable label metric share }';
    expect(await ask('prefix: {}, maxItems: 3', fields)).toEqual({
      total: 105,
      others: 1,
      keyCount: 4,
      keys: [
        {
          rank: 1,
          key: 'C0.A8.02.00/18',
          readable: '192.168.2.0/24',
          label: '192.168.2.0/24',
          metric: 50,
          share: 50 / 105,
        },
        {
          rank: 2,
          key: 'C0.A8.01.00/18',
          readable: '192.168.1.0/24',
          label: '192.168.1.0/24',
          metric: 40,
          share: 40 / 105,
        },
        {
          rank: 3,
          key: '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.00/30',
          readable: '2001:db8::/48',
          label: '2001:db8::/48',
          metric: 14,
          share: 14 / 105,
        },
      ],
    });
  });

  it.each([
    ['{ ipv4: 16 }', ['192.168.0.0/16 90', '2001:db8::/48 14', '10.0.0.0/16 1']],
    ['{ ipv4: 0, ipv6: 0 }', ['0.0.0.0/0 91', '::/0 14']],
    [
      '{ ipv4: 32, ipv6: 64 }',
      [
        '192.168.2.1/32 50',
        '192.168.1.20/32 30',
        '192.168.1.10/32 10',
        '2001:db8::/64 7',
        '2001:db8:0:1::/64 7',
        '10.0.0.1/32 1',
      ],
    ],
    ['{ ipv4: 8, ipv6: 128 }', ['192.0.0.0/8 90', '2001:db8::1/128 7', '2001:db8:0:1::/128 7']],
  ])('accepts prefix lengths: %s', async (prefix, expected) => {
    const { keys } = await ask(`prefix: ${prefix}`, 'keys { readable metric }');
    const shown = (keys as { readable: string; metric: number }[]).map(
      ({ readable, metric }) => `${readable} ${metric}`,
    );
    expect(shown.slice(0, expected.length)).toEqual(expected);
  });

  it('has percentiles, peaks, series and earlier values of each network as a whole', async () => {
    const fields = `series { at total others } flatSeries { at label value averageRate } keys {
      key peak percentiles(ranks: [50, 100]) { rank value } series { at value }
      previous(ago: 300) { metric rank change } volume averageRate }`;
    const answer = await ask('prefix: {}, maxItems: 1, filter: { search: "8.1.0/" }', fields);
    expect(answer).toEqual({
      series: [
        { at: T0 + 300, total: 65, others: 25 },
        { at: T0 + 600, total: 40, others: 40 },
      ],
      flatSeries: [
        { at: T0 + 300, label: '192.168.1.0/24', value: 40, averageRate: 40 / 300 },
        { at: T0 + 300, label: 'others', value: 25, averageRate: 25 / 300 },
        { at: T0 + 600, label: '192.168.1.0/24', value: 0, averageRate: 0 },
        { at: T0 + 600, label: 'others', value: 40, averageRate: 40 / 60 },
      ],
      keys: [
        {
          key: 'C0.A8.01.00/18',
          peak: 40,
          percentiles: [
            { rank: 50, value: 0 },
            { rank: 100, value: 40 },
          ],
          series: [
            { at: T0 + 300, value: 40 },
            { at: T0 + 600, value: 0 },
          ],
          previous: { metric: 45, rank: 1, change: -5 },
          volume: 40,
          averageRate: 40 / 360,
        },
      ],
    });
  });

  it('averages all readings of a network, and lists one whose readings are all zero', async () => {
    const { keys } = await ask('prefix: {}, meter: 5', 'keys { readable metric }');
    expect(keys).toEqual([
      { readable: '192.168.2.0/24', metric: 25 },
      { readable: '192.168.1.0/24', metric: 20 },
      { readable: '2001:db8::/48', metric: 7 },
      { readable: '10.0.0.0/24', metric: 1 },
      { readable: '192.168.3.0/24', metric: 0 },
    ]);
  });

  it('has no description, attributes, key node or drill-down for a network', async () => {
    const fields = `keys { description attributes { name } keyNode { id }
      drilldown(crosskey: "${PAIRS}") { total } }`;
    expect(await ask('prefix: {}, maxItems: 1', fields)).toEqual({
      keys: [{ description: null, attributes: null, keyNode: null, drilldown: null }],
    });
  });

  it.each([
    ['cidr: ["192.168.0.0/16"]', ['C0.A8.02.00/18', 'C0.A8.01.00/18']],
    ['cidr: ["192.168.1.0/24"]', ['C0.A8.01.00/18']],
    ['cidr: ["192.168.1.0/25", "192.168.1.10"]', []],
    ['cidr: ["2001:db8::/32"]', ['20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.00/30']],
    ['excludeCidr: ["192.168.0.0/16", "::/0"]', ['0A.00.00.00/18']],
    ['match: "^C0\\\\.A8\\\\.01"', ['C0.A8.01.00/18']],
    ['match: "/18$", exclude: "^C0"', ['0A.00.00.00/18']],
    [
      'keys: ["192.168.1.0/24", "10.0.0.1", "0a.00.00.00/18"]',
      ['C0.A8.01.00/18', '0A.00.00.00/18'],
    ],
    ['search: "DB8::/48"', ['20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.00/30']],
    ['search: "0.0/2", excludeKeys: ["10.0.0.0/24"]', []],
  ])('filters networks: %s', async (filter, expected) => {
    const answer = await ask(`prefix: {}, filter: { ${filter} }`, 'total keyCount keys { key }');
    expect(answer).toEqual({
      total: 105,
      keyCount: expected.length,
      keys: expected.map((key) => ({ key })),
    });
  });

  it.each([
    [HOSTS, '{ ipv4: 33 }', 'prefix.ipv4 must be an integer from 0 to 32, got 33'],
    [HOSTS, '{ ipv4: -1 }', 'prefix.ipv4 must be an integer from 0 to 32, got -1'],
    [HOSTS, '{ ipv6: 129 }', 'prefix.ipv6 must be an integer from 0 to 128, got 129'],
    [
      TEXTS,
      '{}',
      'prefix must be left out for a group whose keys are not addresses, got "/24 /48"',
    ],
    [
      PAIRS,
      '{ ipv4: 8 }',
      'prefix must be left out for a group whose keys are not addresses, got "/8 /48"',
    ],
    [
      twinOf(0),
      '{}',
      'prefix must be left out for a group whose keys are not addresses, got "/24 /48"',
    ],
    [
      HOSTS,
      '{}, filter: { cidr: ["nonsense"] }',
      'cidr must be addresses or networks in CIDR form, got "nonsense"',
    ],
  ])('refuses an invalid prefix, group or network: %s %s', async (guid, prefix, message) => {
    const { errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(guid: "${guid}") {
        topper(prefix: ${prefix}) { total } } } }`,
    );
    expect(errors).toMatchObject([
      {
        message,
        extensions: { code: 'BAD_USER_INPUT' },
        path: ['context', 'counterGroup', 'topper'],
      },
    ]);
  });

  it('can be queried on a meter, and subscribed to', async () => {
    const query = `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { meter(index: 0) {
      topper(prefix: { ipv4: 16 }, window: { preset: ALL_AVAILABLE }, maxItems: 1) {
        keys { readable metric } } } } } }`;
    expect(await lab.data(query)).toEqual({
      context: {
        counterGroup: {
          meter: { topper: { keys: [{ readable: '192.168.0.0/16', metric: 95 }] } },
        },
      },
    });
    const followed = `subscription { topper(
      context: "lab", counterGroup: "${HOSTS}", prefix: { ipv4: 16 }, maxItems: 1
      window: { preset: ALL_AVAILABLE }) { keys { readable metric } } }`;
    const stream = await openStream(lab.url, followed, { headers: basic(ADA) });
    expect(await stream.answer()).toEqual({
      topper: { keys: [{ readable: '192.168.0.0/16', metric: 95 }] },
    });
    stream.close();
  });

  it('needs no more statements than a topper of addresses', async () => {
    const fields = `total series { total } keys { key label metric
      percentiles(ranks: [95]) { value } series { value } previous { metric } }`;
    const counted = async (args: string): Promise<number> => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await ask(args, fields);
      return statements().length;
    };
    expect(await counted('prefix: {}')).toBeLessThanOrEqual(await counted(''));
  });
});

const RANKINGS = ['METRIC', 'PEAK', 'PERCENTILE', 'GROWTH', 'DECLINE', 'NEW'] as const;

const EVERYTHING = `query ($guid: Guid!, $meter: Int!, $window: WindowInput, $items: Int!, $probe: String
  $rankBy: RankBy! = METRIC, $ago: Int, $earlier: Int, $prefix: PrefixInput, $step: Int
  $filter: KeyFilterInput) {
  context(name: "lab") { counterGroup(guid: $guid) { topper(
    meter: $meter, window: $window, maxItems: $items, probe: $probe, filter: $filter
    rankBy: $rankBy, ago: $ago, prefix: $prefix
  ) { total others othersMatching keyCount
    matching { total share keyCount peak percentiles(ranks: [0, 50, 100]) { rank value }
      series(step: $step) { at value } }
    series(step: $step) { at total others }
    flatSeries(step: $step) { at key label value averageRate }
    keys { rank key readable label metric rankValue volume averageRate peak share
      percentiles(ranks: [0, 50, 95, 100]) { rank value } series(step: $step) { at value }
      previous(ago: $earlier) { window { from to } metric rank change changeRatio } } } } }
}`;

describe('networks of any window', () => {
  it('equal the keys of a group that counts the networks itself', async () => {
    const question = fc.record({
      place: fc.nat(LENGTHS.length - 1),
      meter: fc.constantFrom(...METERS.map(({ id }) => id)),
      from: fc.integer({ min: -DAY / 2, max: 2 * DAY }),
      length: fc.integer({ min: 1, max: 2 * DAY }),
      items: fc.constantFrom(1, 3, 100),
      earlier: fc.integer({ min: 1, max: DAY }),
      step: fc.constantFrom(300, 360, 3600, 7200, 86_400),
      probe: fc.constantFrom(null, 'p1'),
      rankBy: fc.constantFrom(...RANKINGS),
      filter: fc.constantFrom(
        null,
        { match: '^(0A|20)' },
        { exclude: '/18$' },
        { search: '1' },
        { excludeKeys: ['10.0.0.0/24', '::/0', '2001:db8::/33'] },
      ),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ place, from, length, rankBy, ...own }) => {
        const isChange = ['GROWTH', 'DECLINE', 'NEW'].includes(rankBy);
        const variables = {
          ...own,
          rankBy,
          ago: isChange ? own.earlier : null,
          window: { interval: { from: T0 + from, to: T0 + from + length } },
        };
        const prefix = LENGTHS[place];
        const found = await lab.data(EVERYTHING, { ...variables, guid: RANDOM.guid, prefix });
        const counted = await lab.data(EVERYTHING, { ...variables, guid: twinOf(place) });
        expect(found).toEqual(counted);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 2), endOnFailure: true },
    );
  });
});
