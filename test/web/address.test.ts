import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Address,
  CHART_FORMS,
  COMPARISONS,
  changed,
  formatAddress,
  ITEMS,
  parseAddress,
  readAddress,
} from '../../web/src/address/address.ts';
import { usable } from '../../web/src/address/filters.ts';
import { formatPrefix, parsePrefix } from '../../web/src/address/prefix.ts';
import { CHANGE_RANKINGS, formatRanking, parseRanking } from '../../web/src/address/ranking.ts';
import {
  formatWindow,
  movingWindow,
  parseWindow,
  windowInput,
} from '../../web/src/address/window-choice.ts';

const GUID = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

const text = fc.string({ minLength: 1, maxLength: 20 });

const windows = fc.oneof(
  fc.integer({ min: 1, max: 40_000 }).map((n) => ({ kind: 'recent' as const, seconds: n * 60 })),
  fc
    .constantFrom('today' as const, 'yesterday' as const, 'all' as const, 'latest' as const)
    .map((name) => ({ kind: 'named' as const, name })),
  fc
    .tuple(fc.integer({ min: 0, max: 2e9 }), fc.integer({ min: 1, max: 1e7 }))
    .map(([from, seconds]) => ({ kind: 'interval' as const, from, to: from + seconds })),
);

const plainAddresses: fc.Arbitrary<Address> = fc.record({
  view: fc.constantFrom(
    'overview' as const,
    'top' as const,
    'flows' as const,
    'trend' as const,
    'alerts' as const,
    'storage' as const,
    'users' as const,
  ),
  context: fc.option(text),
  node: fc.option(text),
  fromDr: fc.constant(false),
  group: fc.option(fc.constant(GUID)),
  meter: fc.option(fc.integer({ min: 0, max: 20 })),
  probe: fc.option(text),
  window: windows,
  live: fc.boolean(),
  compare: fc.constantFrom(...COMPARISONS),
  ranking: fc.oneof(
    fc.record({ by: fc.constantFrom('metric' as const, 'peak' as const, ...CHANGE_RANKINGS) }),
    fc
      .integer({ min: 0, max: 1000 })
      .map((tenths) => ({ by: 'percentile' as const, percentile: tenths / 10 })),
  ),
  prefix: fc.option(
    fc.record({ ipv4: fc.integer({ min: 0, max: 32 }), ipv6: fc.integer({ min: 0, max: 128 }) }),
  ),
  items: fc.constantFrom(...ITEMS),
  step: fc.option(fc.integer({ min: 1, max: 99_999 }).map((minutes) => minutes * 60)),
  color: fc.constantFrom('rank' as const, 'share' as const),
  form: fc.constantFrom('map' as const, 'table' as const),
  filters: fc
    .array(
      fc.oneof(
        fc.record({
          kind: fc.constantFrom(
            'only' as const,
            'find' as const,
            'match' as const,
            'except' as const,
          ),
          text,
        }),
        fc.record({ kind: fc.constantFrom('cidr' as const, 'outside' as const), text: fc.ipV4() }),
      ),
      { maxLength: 5 },
    )
    .map(usable),
  hidden: fc.uniqueArray(text, { maxLength: 3 }),
  key: fc.option(text),
  by: fc.option(fc.constant(GUID)),
  alert: fc.option(text),
  after: fc.option(text),
  draft: fc.option(
    fc.oneof(
      fc.record({ kind: fc.constant('new' as const) }),
      fc.record({ kind: fc.constantFrom('change' as const, 'copy' as const), rule: text }),
    ),
  ),
  order: fc.constantFrom('matters', 'newest'),
  account: fc.option(fc.record({ name: text, isGroup: fc.boolean() })),
  actor: fc.option(text),
  since: fc.option(fc.integer({ min: 0, max: 2e9 })),
  others: fc.constantFrom('on' as const, 'off' as const, null),
  chart: fc.constantFrom(...CHART_FORMS),
  units: fc.record({
    amounts: fc.constantFrom('bytes' as const, 'bits' as const),
    rates: fc.constantFrom('bytes' as const, 'bits' as const),
    base: fc.constantFrom(1000 as const, 1024 as const),
  }),
  zone: fc.option(fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York')),
});

/** As they are after a choice: with a window that does not move, they are not live. */
const addresses = plainAddresses.map((address) => changed(address, { window: address.window }));

describe('an address', () => {
  it('is readable for people', () => {
    const address = parseAddress(
      `?context=demo&group=${GUID}&meter=0&window=6h&find=mail&hide=0A.01&tz=Europe/Berlin`,
    );
    expect(formatAddress(address)).toBe(
      '?context=demo&group=4CD742B1-C1CA-4708-BE78-0FCA2EB01A86&meter=0&window=6h&find=mail&hide=0A.01&tz=Europe/Berlin',
    );
  });

  it.each([
    ['?group=nonsense', 'group', null],
    ['?meter=-1', 'meter', null],
    ['?meter=1e3', 'meter', null],
    ['?top=7', 'items', 10],
    ['?tz=Mars/Olympus', 'zone', null],
    ['?view=top&window=yesterday-ish', 'window', { kind: 'recent', seconds: 21_600 }],
    ['?window=constructor', 'window', { kind: 'recent', seconds: 86_400 }],
    ['?view=secret', 'view', 'overview'],
    ['?node=a&dr=1', 'fromDr', false],
    ['?rank=size', 'ranking', { by: 'metric' }],
    ['?rank=p101', 'ranking', { by: 'metric' }],
    ['?prefix=33', 'prefix', null],
    ['?step=soon', 'step', null],
    ['?live=yes', 'live', false],
    ['?vs=x', 'compare', 'before'],
    ['?by=1', 'by', null],
    ['?since=today', 'since', null],
    ['?user=a&usergroup=b', 'account', { name: 'a', isGroup: false }],
    ['?color=red', 'color', 'rank'],
    ['?others=none', 'others', null],
    ['?chart=pie', 'chart', 'stack'],
    ['?find=a&find=b', 'filters', [{ kind: 'find', text: 'a' }]],
  ] as const)('%s is read as if %s was left out, and said', (search, name, expected) => {
    const { address, faults, unknown } = readAddress(search);
    expect(address[name]).toEqual(expected);
    expect(faults).toHaveLength(1);
    expect(unknown).toEqual([]);
  });

  it('says what a part of it must be, and what is shown instead', () => {
    expect(readAddress('?top=7&colour=share&utm=x&window=').faults).toEqual([
      { name: 'top', given: '7', must: '10, 20, 50 or 100', instead: 'the top 10' },
    ]);
    expect(readAddress('?top=7&colour=share&utm=x').unknown).toEqual(['colour', 'utm']);
  });

  it('holds all of a view: it is read back as it was written', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(readAddress(formatAddress(address))).toEqual({ address, faults: [], unknown: [] });
      }),
    );
  });

  it('has several filters, networks also joined by commas, as links always had them', () => {
    const { filters } = parseAddress('?cidr=10.0.0.0/8,+::1&find=x&only=a&only=b&only=a');
    expect(filters).toEqual([
      { kind: 'cidr', text: '10.0.0.0/8' },
      { kind: 'cidr', text: '::1' },
      { kind: 'find', text: 'x' },
      { kind: 'only', text: 'a' },
      { kind: 'only', text: 'b' },
    ]);
  });
});

describe('an address without a view', () => {
  it.each(['', '?context=demo', '?window=1h&live=1&tz=UTC', '?node=a&probe=b'])(
    'means the overview: %s',
    (search) => {
      expect(parseAddress(search).view).toBe('overview');
    },
  );

  it.each([`?group=${GUID}`, '?meter=0', '?key=0A', '?cidr=10.0.0.0/8', '?prefix=24', '?hide=0A'])(
    'means Top keys, as before there was an overview: %s',
    (search) => {
      expect(parseAddress(search).view).toBe('top');
      expect(formatAddress(parseAddress(search))).not.toContain('view=');
    },
  );
});

describe('a ranking', () => {
  it.each([
    ['peak', { by: 'peak' }],
    ['p0', { by: 'percentile', percentile: 0 }],
    ['p99.9', { by: 'percentile', percentile: 99.9 }],
    ['p100', { by: 'percentile', percentile: 100 }],
    ['growth', { by: 'growth' }],
    ['decline', { by: 'decline' }],
    ['new', { by: 'new' }],
  ] as const)('%s is %j', (written, ranking) => {
    expect(parseRanking(written)).toEqual(ranking);
    expect(formatRanking(ranking)).toBe(written);
  });

  it.each(['', 'p', 'p100.1', 'p-1', 'p1e1', 'percentile', 'Peak'])('is not "%s"', (written) => {
    expect(parseRanking(written)).toBeNull();
  });
});

describe('the lengths of networks', () => {
  it.each([
    ['24', { ipv4: 24, ipv6: 48 }],
    ['0', { ipv4: 0, ipv6: 0 }],
    ['32', { ipv4: 32, ipv6: 64 }],
    ['24,48', { ipv4: 24, ipv6: 48 }],
    ['0,128', { ipv4: 0, ipv6: 128 }],
  ])('%s are %j', (written, prefix) => {
    expect(parsePrefix(written)).toEqual(prefix);
    expect(parsePrefix(formatPrefix(prefix))).toEqual(prefix);
  });

  it.each(['', ',', '33', '24,', ',48', '24,129', '/24', '-1', '24,48,64', '1e1'])(
    'are not "%s"',
    (written) => {
      expect(parsePrefix(written)).toBeNull();
    },
  );
});

describe('a window', () => {
  it.each([
    ['15m', { recentSeconds: 900 }],
    ['6h', { recentSeconds: 21_600 }],
    ['24h', { recentSeconds: 86_400 }],
    ['7d', { recentSeconds: 604_800 }],
    ['today', { preset: 'TODAY' }],
    ['all', { preset: 'ALL_AVAILABLE' }],
    ['1700000000-1700003600', { interval: { from: 1_700_000_000, to: 1_700_003_600 } }],
  ])('%s is requested as %j', (written, asked) => {
    const window = parseWindow(written);
    expect(window && windowInput(window)).toEqual(asked);
    expect(window && formatWindow(window)).toBe(written);
  });

  it.each([
    '',
    '0h',
    '6',
    'h',
    '5-5',
    '9-3',
    '0-253402300800',
    '-1-5',
    '9999999d',
    '__proto__',
    'toString',
  ])('is not "%s"', (written) => {
    expect(parseWindow(written)).toBeNull();
  });
});

describe('a changed address', () => {
  it('has each hidden key once, as one that is parsed', () => {
    const address = changed(parseAddress('?hide=a&hide=a'), { hidden: ['a', 'b', 'b'] });
    expect(formatAddress(address)).toMatch(/hide=a&hide=b$/);
    expect(parseAddress(formatAddress(address)).hidden).toEqual(address.hidden);
  });
});

describe('a live view', () => {
  const DAY = 86_400;

  const moving: readonly (readonly [string, string])[] = [
    ['6h', '6h'],
    ['today', 'today'],
    ['latest', 'latest'],
    ['all', 'all'],
    // Others keep their length, and end with the newest data.
    ['yesterday', '24h'],
    ['1700000000-1700003600', '1h'],
    // An address has no seconds, so lengths are rounded up.
    ['1700000000-1700003601', '61m'],
    ['1700000000-1700000001', '1m'],
    [`0-${1_000_000 * 60}`, '695d'],
    ['0-253402300799', '24855d'],
  ];

  for (const [given, live] of moving) {
    it(`of the window ${given} shows ${live}`, () => {
      const window = parseWindow(given);
      expect(window).not.toBeNull();
      expect(window && formatWindow(movingWindow(window))).toBe(live);
      const address = parseAddress(`?window=${given}`);
      expect(formatAddress(changed(address, { live: true }))).toContain(`window=${live}&live=1`);
      expect(parseAddress(`?window=${given}&live=1`)).toEqual(changed(address, { live: true }));
    });
  }

  it('stays live with another moving window, but not with a fixed one', () => {
    const live = parseAddress('?window=6h&live=1');
    expect(changed(live, { window: { kind: 'recent', seconds: DAY } }).live).toBe(true);
    expect(changed(live, { window: { kind: 'interval', from: 0, to: DAY } }).live).toBe(false);
    expect(changed(live, { window: { kind: 'named', name: 'yesterday' } }).live).toBe(false);
    expect(changed(live, { items: 20 }).live).toBe(true);
  });
});
