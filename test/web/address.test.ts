import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Address,
  COMPARISONS,
  FILTER_KINDS,
  formatAddress,
  ITEMS,
  parseAddress,
} from '../../web/src/address/address.ts';
import { formatWindow, parseWindow, windowInput } from '../../web/src/address/window-choice.ts';

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

const addresses: fc.Arbitrary<Address> = fc.record({
  view: fc.constantFrom('top' as const, 'storage' as const),
  context: fc.option(text),
  node: fc.option(text),
  fromDr: fc.constant(false),
  group: fc.option(fc.constant(GUID)),
  meter: fc.option(fc.integer({ min: 0, max: 20 })),
  probe: fc.option(text),
  window: windows,
  compare: fc.constantFrom(...COMPARISONS),
  items: fc.constantFrom(...ITEMS),
  filter: fc.option(fc.record({ kind: fc.constantFrom(...FILTER_KINDS), text })),
  hidden: fc.uniqueArray(text, { maxLength: 3 }),
  key: fc.option(text),
  by: fc.option(fc.constant(GUID)),
  others: fc.boolean(),
  units: fc.record({
    amounts: fc.constantFrom('bytes' as const, 'bits' as const),
    rates: fc.constantFrom('bytes' as const, 'bits' as const),
    base: fc.constantFrom(1000 as const, 1024 as const),
  }),
  zone: fc.option(fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York')),
});

describe('an address', () => {
  it('says all of a view: what is read from it is what was written', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it('can be read by people', () => {
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
    ['?window=yesterday-ish', 'window', { kind: 'recent', seconds: 21_600 }],
    ['?view=secret', 'view', 'top'],
    ['?node=a&dr=1', 'fromDr', false],
  ] as const)('%s has %s as if it was left out', (search, name, expected) => {
    expect(parseAddress(search)[name]).toEqual(expected);
  });
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
  ])('%s is asked for as %j', (written, asked) => {
    const window = parseWindow(written);
    expect(window && windowInput(window)).toEqual(asked);
    expect(window && formatWindow(window)).toBe(written);
  });

  it.each(['', '0h', '6', 'h', '5-5', '9-3', '0-253402300800', '-1-5', '9999999d'])(
    '"%s" is none',
    (written) => {
      expect(parseWindow(written)).toBeNull();
    },
  );
});
