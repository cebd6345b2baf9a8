import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopperKeyBody } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

/** For each kind: keys with their readable form and default label (decisions, section 7). */
const FORMS: readonly [kind: string, key: string, readable: string, label?: string][] = [
  ['ipv4', 'C0.A8.01.0A', '192.168.1.10'],
  ['ipv4', '00.00.00.00', '0.0.0.0'],
  ['ipv4', 'FF.FF.FF.FF', '255.255.255.255'],
  ['ipv6', '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01', '2001:db8::1'],
  ['ipv6', '00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.00', '::'],
  ['ipv6', '20.01.00.00.00.01.00.00.00.00.00.01.00.00.00.01', '2001:0:1::1:0:1'],
  ['ipv6', '20.01.0D.B8.00.00.00.01.00.01.00.01.00.01.00.01', '2001:db8:0:1:1:1:1:1'],
  ['ip', '0A.00.00.01', '10.0.0.1'],
  ['ip', 'FE.80.00.00.00.00.00.00.00.00.00.00.00.00.AB.CD', 'fe80::abcd'],
  ['port', '00.50', '80', 'http'],
  ['port', '01.BB', '443', 'https'],
  ['port', 'FF.FF', '65535'],
  ['protocol', '06', 'TCP'],
  ['protocol', '11', 'UDP'],
  ['protocol', '3A', 'IPv6-ICMP'],
  ['mac', '00.0B.DB.63.58.A6', '00:0b:db:63:58:a6'],
  ['subnet', 'C0.A8.01.00/18', '192.168.1.0/24'],
  ['subnet', '00.00.00.00/00', '0.0.0.0/0'],
  ['subnet', 'C0.A8.01.01/20', '192.168.1.1/32'],
  ['interface', 'C0.A8.01.01.00.00.00.03', '192.168.1.1 #3'],
  ['interface', 'C0.A8.01.01.FF.FF.FF.FF', '192.168.1.1 #4294967295'],
  ['asn', '00.00.3B.41', 'AS15169'],
  ['asn', 'FF.FF.FF.FF', 'AS4294967295'],
  ['country', 'US', 'US', 'United States'],
  ['country', 'DE', 'DE', 'Germany'],
  ['text', 'TOTALBW', 'TOTALBW'],
  ['text', 'naïve 日本 \u{1F600} "quoted" <b>', 'naïve 日本 \u{1F600} "quoted" <b>'],
  ['text', 'a\\b', 'a\\b'],
];

const KINDS = [...new Set(FORMS.map(([kind]) => kind))];
const guidOfKind = (kind: string): string => guidOf(KINDS.indexOf(kind) + 1);

const [HOSTS, APPS, PAIRS, THREES] = [21, 22, 23, 24].map(guidOf) as [
  string,
  string,
  string,
  string,
];

const line = (guid: string, key: string, value: number, more: Partial<Line> = {}): Line => ({
  group: guid,
  key,
  ts: T0,
  values: { 0: value },
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      ...KINDS.map((key_kind, i) => group(i + 1, { key_kind })),
      group(21, { key_kind: 'ip' }),
      group(22, { key_kind: 'port' }),
      group(23, {
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
      }),
      group(24, {
        key_kind: 'crosskey',
        crosskey: { parentguid: APPS, crosskeyguid_1: guidOfKind('text'), crosskeyguid_2: HOSTS },
      }),
    ],
    lines: [
      ...FORMS.map(([kind, key]) => line(guidOfKind(kind), key, 1)),
      line(HOSTS, '0A.00.00.01', 9, {
        label: 'printer <3>',
        description: 'first floor',
        attributes: { site: 'Berlin', rack: '7', empty: '' },
      }),
      line(HOSTS, '0A.00.00.02', 8, { label: 'gone' }),
      line(HOSTS, '0A.00.00.03', 7, { description: 'no label' }),
      line(HOSTS, '0A.00.00.02', 1, { label: '' }),
      line(APPS, '1F.90', 5, { label: 'intranet' }),
      line(PAIRS, '0A.00.00.01\\1F.90', 4),
      line(PAIRS, '0A.00.00.01\\00.50', 3),
      // Its parts are not keys of their groups, so they have only default labels.
      line(PAIRS, '0A.00.00.99\\01.BB', 2),
      line(THREES, '1F.90\\a\\\\b\\0A.00.00.01', 6),
      line(THREES, '1F.90\\TOTALBW\\0A.00.00.01', 5),
    ],
  });
});

afterAll(() => lab.close());

const WINDOW = { window_fromts: T0, window_seconds: 60 };

const keysOf = async (counter_group: string, more: RestParameters = {}) =>
  (await lab.topper({ ...WINDOW, counter_group, ...more })).keys;

const find = (keys: readonly TopperKeyBody[], key: string) => keys.find((each) => each.key === key);

describe('resolve_keys (decision 30)', () => {
  it.each(FORMS)('gives a key of kind %s, %s, the readable form %s', async (...form) => {
    const [kind, key, readable, label = readable] = form;
    expect(find(await keysOf(guidOfKind(kind)), key)).toEqual({ key, readable, label, metric: 1 });
  });

  it('is on unless it is switched off', async () => {
    expect(await keysOf(HOSTS, { resolve_keys: true })).toEqual(await keysOf(HOSTS));
    expect((await keysOf(HOSTS, { resolve_keys: false })).map((key) => Object.keys(key))).toEqual([
      ['key', 'metric', 'description'],
      ['key', 'metric'],
      ['key', 'metric', 'description'],
    ]);
  });

  it('gives the label that a user has set, or else the readable form', async () => {
    expect(await keysOf(HOSTS)).toEqual([
      {
        key: '0A.00.00.01',
        readable: '10.0.0.1',
        label: 'printer <3>',
        metric: 9,
        description: 'first floor',
      },
      { key: '0A.00.00.02', readable: '10.0.0.2', label: '10.0.0.2', metric: 9 },
      {
        key: '0A.00.00.03',
        readable: '10.0.0.3',
        label: '10.0.0.3',
        metric: 7,
        description: 'no label',
      },
    ]);
  });

  it('prefers the label of a user to the service name', async () => {
    expect(await keysOf(APPS)).toEqual([
      { key: '1F.90', readable: '8080', label: 'intranet', metric: 5 },
    ]);
  });
});

describe('get_key_attributes', () => {
  it('gives each key its attributes, or an empty list', async () => {
    const keys = await keysOf(HOSTS, { get_key_attributes: true });
    const [first, ...rest] = keys.map(({ attributes = [] }) => attributes);
    expect(keys.every((key) => 'attributes' in key)).toBe(true);
    expect(first).toHaveLength(3);
    expect(first).toEqual(
      expect.arrayContaining([
        { attr_name: 'site', attr_value: 'Berlin' },
        { attr_name: 'rack', attr_value: '7' },
        { attr_name: 'empty', attr_value: '' },
      ]),
    );
    expect(rest).toEqual([[], []]);
  });

  it('does so without resolve_keys too, and only on request', async () => {
    const flags = { resolve_keys: false, get_key_attributes: true };
    expect((await keysOf(HOSTS, flags))[0]?.attributes).toHaveLength(3);
    expect((await keysOf(HOSTS)).some((key) => 'attributes' in key)).toBe(false);
    const off = { get_key_attributes: false };
    expect((await keysOf(HOSTS, off)).some((key) => 'attributes' in key)).toBe(false);
  });
});

describe('the keys of a cross-key group (decision 31)', () => {
  it('are joined by a backslash, and so are readable form and label', async () => {
    expect(await keysOf(PAIRS)).toEqual([
      {
        key: '0A.00.00.01\\1F.90',
        readable: '10.0.0.1\\8080',
        label: 'printer <3>\\intranet',
        metric: 4,
      },
      {
        key: '0A.00.00.01\\00.50',
        readable: '10.0.0.1\\80',
        label: 'printer <3>\\http',
        metric: 3,
      },
      {
        key: '0A.00.00.99\\01.BB',
        readable: '10.0.0.153\\443',
        label: '10.0.0.153\\https',
        metric: 2,
      },
    ]);
  });

  it('have three parts where the group has three, in the order parent, first, second', async () => {
    const [escaped, plain] = await keysOf(THREES);
    expect(plain).toEqual({
      key: '1F.90\\TOTALBW\\0A.00.00.01',
      readable: '8080\\TOTALBW\\10.0.0.1',
      label: 'intranet\\TOTALBW\\printer <3>',
      metric: 5,
    });
    // A backslash within a part is written twice.
    expect(escaped).toMatchObject({ key: '1F.90\\a\\\\b\\0A.00.00.01', metric: 6 });
  });
});

describe('the answer of the topper', () => {
  it('has exactly the fields of the specification', async () => {
    const asked = { ...WINDOW, counter_group: APPS.toLowerCase(), get_percentiles: '50' };
    expect(await lab.topper({ ...asked, get_key_attributes: true })).toEqual({
      counter_group: APPS,
      meter: 0,
      sysgrouptotal: 0,
      keys: [
        {
          key: '1F.90',
          readable: '8080',
          label: 'intranet',
          metric: 5,
          attributes: [],
          percentiles: [{ rank: 50, value: 5 }],
        },
      ],
    });
  });
});
