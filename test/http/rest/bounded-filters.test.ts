import { RE2JS } from 're2js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const HOSTS = guidOf(1);

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Addresses in 10.0 to 10.15; every third is imported later. */
const ADDRESSES = Array.from(
  { length: 300 },
  (_, i) => `0A.${hex(i % 16)}.${hex(i % 7)}.${hex(i % 251)}`,
);
const KEYS = [...new Set(ADDRESSES)];
const LATER = KEYS.filter((_, i) => i % 3 === 2);
const EARLY = KEYS.filter((_, i) => i % 3 !== 2);

const toLines = (keys: readonly string[]): Line[] =>
  keys.map((key) => ({ group: HOSTS, key, ts: T0, values: { 0: 1 } }));

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1, { key_kind: 'ipv4' })], lines: toLines(EARLY) });
});

afterAll(() => lab.close());

const MATCHED = [
  '^0A\\.0[0-9]\\.',
  '^0A\\.(00|0F)\\..*',
  '^0A\\.0A\\.0[0-3]\\.1',
  '0A$',
  '^FF',
  '^0A',
];

const passing = (keys: readonly string[], pattern: string, isWanted: boolean): string[] =>
  keys.filter((key) => RE2JS.compile(pattern).test(key) === isWanted).sort();

async function listed(filter: Readonly<Record<string, string>>): Promise<string[]> {
  const { keys } = await lab.topper({
    counter_group: HOSTS,
    window_fromts: T0,
    window_seconds: 60,
    maxitems: 1000,
    ...filter,
  });
  return keys.map(({ key }) => key).sort();
}

async function expectFilters(keys: readonly string[]): Promise<void> {
  for (const pattern of MATCHED) {
    expect(await listed({ key_filter: pattern })).toEqual(passing(keys, pattern, true));
    expect(await listed({ inverse_key_filter: pattern })).toEqual(passing(keys, pattern, false));
  }
  const both = await listed({ key_filter: '^0A\\.0', inverse_key_filter: '^0A\\.0[0-7]' });
  expect(both).toEqual(passing(keys, '^0A\\.0[89A-F]', true));
}

const GROUP_QUERY = `query ($filter: KeyFilterInput, $window: WindowInput!, $group: Guid!) {
  context(name: "lab") { counterGroup(guid: $group) {
    topper(meter: 0, maxItems: 1000, window: $window, filter: $filter) {
      keyCount others othersMatching keys { key } } } } }`;

async function counted(filter: Readonly<Record<string, readonly string[]>>): Promise<number> {
  type Body = { context: { counterGroup: { topper: { keyCount: number } } } };
  const window = { interval: { from: T0, to: T0 + 60 } };
  const body = await lab.data<Body>(GROUP_QUERY, { filter, window, group: HOSTS });
  return body.context.counterGroup.topper.keyCount;
}

async function expectLists(keys: readonly string[]): Promise<void> {
  const inNet = keys.filter((key) => key.startsWith('0A.0')).length;
  const known = keys.slice(0, 2);
  expect(await counted({ cidr: ['10.0.0.0/12'] })).toBe(inNet);
  expect(await counted({ excludeCidr: ['10.0.0.0/13'] })).toBe(
    keys.filter((key) => !/^0A\.0[0-7]/.test(key)).length,
  );
  expect(await counted({ keys: [...known, '1.2.3.4', 'no\0key', '\ud800'] })).toBe(2);
  expect(await counted({ excludeKeys: known })).toBe(keys.length - 2);
}

describe('a filter that bounds its keys', () => {
  it('finds the keys that match it, and new ones after another import', async () => {
    await expectFilters(EARLY);
    await expectLists(EARLY);
    await expectFilters(EARLY);
    await lab.importSamples(toLines(LATER));
    // First with the cached results of each filter, then with empty caches.
    await expectFilters(KEYS);
    await expectLists(KEYS);
    lab.emptyCaches();
    await expectFilters(KEYS);
  });

  it('costs no more statements for 15 toppers than for one', async () => {
    const cost = async (count: number): Promise<number> => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      const fields = Array.from(
        { length: count },
        (_, i) => `t${i}: topper(meter: 0, window: { interval: { from: ${T0}, to: ${T0 + 60} } },
          filter: { match: "^0A\\\\.${hex(i)}" }) { keyCount }`,
      );
      await lab.data(
        `{ context(name: "lab") { counterGroup(guid: "${HOSTS}") { ${fields.join(' ')} } } }`,
      );
      return statements().length;
    };
    expect(await cost(15)).toBe(await cost(1));
  });
});
