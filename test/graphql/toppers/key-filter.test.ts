import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [HOSTS, TEXTS, PAIRS, NAMES, V6] = [1, 2, 3, 4, 5].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
];

const WINDOW = `window: { startingAt: { from: ${T0}, seconds: 60 } }`;

/** The hosts by their short names, ordered by metric. */
const ADDRESSES = {
  a10: '0A.00.00.0A',
  a11: '0A.00.00.0B',
  b10: '0A.00.01.0A',
  c1: 'C0.A8.01.01',
  six: '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01',
  mapped: '00.00.00.00.00.00.00.00.00.00.FF.FF.0A.00.00.0A',
} as const;

type Host = keyof typeof ADDRESSES;

const HOST_NAMES = Object.keys(ADDRESSES) as Host[];

const LABELS: Partial<Record<Host, string>> = { a10: 'ÉCOLE Élan', c1: 'Жук router' };

let lab: TestService;

beforeAll(async () => {
  const line = (guid: string, key: string, i: number, label?: string): Line => ({
    group: guid,
    key,
    ts: T0,
    values: { 0: 2 ** (12 - i) },
    ...(label !== undefined && { label }),
  });
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip' }),
      group(2),
      group(3, { key_kind: 'crosskey', crosskey: { parentguid: TEXTS, crosskeyguid_1: HOSTS } }),
      group(4, { key_kind: 'crosskey', crosskey: { parentguid: TEXTS, crosskeyguid_1: TEXTS } }),
      group(5, { key_kind: 'ipv6' }),
    ],
    lines: [
      ...HOST_NAMES.map((name, i) => line(HOSTS, ADDRESSES[name], i, LABELS[name])),
      ...['a', 'b'].map((key, i) => line(TEXTS, key, i)),
      line(PAIRS, `10\\${ADDRESSES.a10}`, 0),
      line(PAIRS, `10.0.0.10\\${ADDRESSES.c1}`, 1),
      line(PAIRS, `x\\${ADDRESSES.six}`, 2),
      line(NAMES, 'a\\b', 0),
      line(V6, ADDRESSES.six, 0),
    ],
  });
});

afterAll(() => lab.close());

const ask = (filter: object, guid = HOSTS) =>
  lab.graphql<{
    context: { counterGroup: { topper: { keys: { key: string }[] } & Record<string, number> } };
  }>(
    `query ($guid: Guid!, $filter: KeyFilterInput) { context(name: "lab") { counterGroup(guid: $guid) {
      topper(${WINDOW}, filter: $filter) { total others othersMatching keyCount keys { key } } } } }`,
    { guid, filter },
  );

async function hostsIn(filter: object): Promise<Host[]> {
  const { data, errors, text } = await ask(filter);
  if (errors) throw new Error(text);
  const { keys } = data.context.counterGroup.topper;
  const found = keys.map(({ key }) => HOST_NAMES.find((name) => ADDRESSES[name] === key));
  return found.filter((name) => name !== undefined);
}

describe('a key filter', () => {
  it.each<[object, Host[]]>([
    [{}, HOST_NAMES],
    [{ match: '^0A\\.00\\.00' }, ['a10', 'a11']],
    [{ exclude: '^0A' }, ['c1', 'six', 'mapped']],
    [{ match: '0A$', exclude: '01\\.0A$' }, ['a10', 'mapped']],
    [{ keys: [ADDRESSES.c1, ADDRESSES.a11] }, ['a11', 'c1']],
    [{ keys: ['nonsense'] }, []],
    [{ keys: [] }, HOST_NAMES],
    [{ excludeKeys: [ADDRESSES.a10, ADDRESSES.six, 'nonsense'] }, ['a11', 'b10', 'c1', 'mapped']],
    [{ excludeKeys: [] }, HOST_NAMES],
    [{ keys: [ADDRESSES.a10, ADDRESSES.a11], excludeKeys: [ADDRESSES.a10] }, ['a11']],
    [{ cidr: ['10.0.0.0/24'] }, ['a10', 'a11']],
    [{ cidr: ['10.0.0.0/16'] }, ['a10', 'a11', 'b10']],
    [{ cidr: ['10.0.0.0/24', '192.168.0.0/16'] }, ['a10', 'a11', 'c1']],
    [{ cidr: ['10.0.0.77/24'] }, ['a10', 'a11']],
    [{ cidr: ['10.0.0.10/31'] }, ['a10', 'a11']],
    [{ cidr: ['10.0.0.10'] }, ['a10']],
    [{ cidr: ['0.0.0.0/0'] }, ['a10', 'a11', 'b10', 'c1']],
    [{ cidr: ['::/0'] }, ['six', 'mapped']],
    [{ cidr: ['2001:db8::/32'] }, ['six']],
    [{ cidr: ['2001:DB8:0::1'] }, ['six']],
    [{ cidr: ['10.0.0.11/32'] }, ['a11']],
    [{ cidr: [] }, HOST_NAMES],
    [{ excludeCidr: ['10.0.0.0/8'] }, ['c1', 'six', 'mapped']],
    [{ excludeCidr: ['10.0.0.10', '2001:db8::/32'] }, ['a11', 'b10', 'c1', 'mapped']],
    [{ excludeCidr: [] }, HOST_NAMES],
    [{ cidr: ['10.0.0.0/16'], excludeCidr: ['10.0.1.0/24'] }, ['a10', 'a11']],
    [{ search: '10.0.0.11' }, ['a11']],
    [{ search: '192.168' }, ['c1']],
    [{ search: '2001:DB8' }, ['six']],
    [{ search: 'école éLAN' }, ['a10']],
    [{ search: 'ЖУК' }, ['c1']],
    [{ search: 'ROUTER' }, ['c1']],
    [{ search: 'nowhere' }, []],
    [{ search: '%' }, []],
    [{ search: '_' }, []],
    [{ search: 'router', cidr: ['10.0.0.0/8'] }, []],
    [{ search: 'router', match: '^C0', excludeKeys: [ADDRESSES.a10] }, ['c1']],
    [{ match: null, keys: null, cidr: null, search: null }, HOST_NAMES],
  ])('%o finds %o', async (filter, expected) => {
    expect(await hostsIn(filter)).toEqual(expected);
  });

  it('searches the readable form of keys with a label too', async () => {
    expect(await hostsIn({ search: '10.0.0.10' })).toContain('a10');
  });

  it('leaves total and others over the whole group, and counts the keys that pass', async () => {
    const { data } = await ask({ cidr: ['10.0.0.0/8'] });
    expect(data.context.counterGroup.topper).toMatchObject({
      total: 4096 + 2048 + 1024 + 512 + 256 + 128,
      others: 512 + 256 + 128,
      othersMatching: 0,
      keyCount: 3,
    });
  });

  it('matches a cross-key if one of its address parts does', async () => {
    const keysOf = async (filter: object) => {
      const { data } = await ask(filter, PAIRS);
      return data.context.counterGroup.topper.keys.map(({ key }) => key);
    };
    // The text part that looks like an address is not one.
    expect(await keysOf({ cidr: ['10.0.0.0/8'] })).toEqual([`10\\${ADDRESSES.a10}`]);
    expect(await keysOf({ excludeCidr: ['10.0.0.0/8', '::/0'] })).toEqual([
      `10.0.0.10\\${ADDRESSES.c1}`,
    ]);
    expect(await keysOf({ match: '^x\\\\' })).toEqual([`x\\${ADDRESSES.six}`]);
  });

  it.each([
    ['a network, for a group without addresses', { cidr: ['10.0.0.0/8'] }, TEXTS],
    ['an excluded network, for a group without addresses', { excludeCidr: ['10.0.0.0/8'] }, TEXTS],
    ['a network, for a cross-key group without addresses', { cidr: ['10.0.0.0/8'] }, NAMES],
    ['text that is not a network', { cidr: ['nonsense'] }, HOSTS],
    ['a prefix that is too long', { cidr: ['10.0.0.0/33'] }, HOSTS],
    ['a negative prefix', { cidr: ['10.0.0.0/-1'] }, HOSTS],
    ['an incomplete address', { cidr: ['10.0.0/8'] }, HOSTS],
    ['an empty network', { excludeCidr: [''] }, HOSTS],
    ['one bad network among good ones', { cidr: ['10.0.0.0/8', '10.0.0.0/8/8'] }, HOSTS],
    ['a pattern that does not compile', { match: '(' }, HOSTS],
    ['a lookahead', { exclude: '(?=a)' }, HOSTS],
  ])('with %s is BAD_USER_INPUT on the topper', async (_, filter, guid) => {
    const { data, errors } = await ask(filter, guid);
    expect(data).toEqual({ context: { counterGroup: { topper: null } } });
    expect(errors).toMatchObject([
      { path: ['context', 'counterGroup', 'topper'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('accepts networks of either family where only one is stored', async () => {
    const { data, errors } = await ask({ cidr: ['10.0.0.0/8', '2001:db8::/64'] }, V6);
    expect(errors).toBeUndefined();
    expect(data.context.counterGroup.topper.keys).toEqual([{ key: ADDRESSES.six }]);
  });
});
