import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_UNITS } from '../../web/src/address/address.ts';
import { allDigits, minus, sum } from '../../web/src/format/big-number.ts';
import { changeOf } from '../../web/src/format/change.ts';
import { counted } from '../../web/src/format/counted.ts';
import { isolated } from '../../web/src/format/isolated.ts';
import {
  longDuration,
  minuteField,
  momentsIn,
  parseField,
  parseMinuteField,
} from '../../web/src/format/moment.ts';
import { addMonths, isDay, weeksOf } from '../../web/src/format/month.ts';
import { formatAmount, formatRate, formatShare, measureOf } from '../../web/src/format/quantity.ts';

const BYTES = { kind: 'bytes' } as const;

describe('a count', () => {
  it('has a noun in the singular or plural', () => {
    expect([0, 1, 2].map((count) => counted(count, 'step'))).toEqual([
      '0 steps',
      '1 step',
      '2 steps',
    ]);
  });
});

describe('a quantity', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [12_345_678, '12.3 MB'],
    ['9007199254740993', '9.01 PB'],
    ['123456789012345678901234567890', '123457 YB'],
  ])('%s bytes are %s', (value, formatted) => {
    expect(formatAmount(value, BYTES, DEFAULT_UNITS).join(' ')).toBe(formatted);
  });

  it('is shown in bits, and with a base of 1024, if that was chosen', () => {
    expect(formatRate(125_000, BYTES, DEFAULT_UNITS)).toEqual(['1.00', 'Mbit/s']);
    const units = { amounts: 'bits', rates: 'bytes', base: 1024 } as const;
    expect(formatAmount(1_048_576, BYTES, units)).toEqual(['8.00', 'Mibit']);
    expect(formatRate(1536, BYTES, units)).toEqual(['1.50', 'KiB/s']);
    expect(formatAmount(1536, { kind: 'other', name: 'packets' }, units)).toEqual(['1.54', 'k']);
  });

  it.each([
    ['bytes', 'bytes'],
    ['Bytes', 'bytes'],
    ['Bps', 'bytes'],
    ['B/s', 'bytes'],
    ['bps', 'bits'],
    ['bits', 'bits'],
    ['packets', 'other'],
    ['bytes per packet', 'other'],
    ['', 'other'],
  ])('of a meter in "%s" is %s', (units, kind) => {
    expect(measureOf(units).kind).toBe(kind);
  });

  it('that is a share is never rounded to nothing or to the whole', () => {
    expect([0, 0.0004, 0.0126, 0.9994, 1].map(formatShare)).toEqual([
      '0.0 %',
      '<0.1 %',
      '1.3 %',
      '99.9 %',
      '100 %',
    ]);
  });
});

describe('integers of any size', () => {
  it('are added and subtracted exactly, as numbers as long as they fit', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        expect(BigInt(sum([String(a), String(b)]))).toBe(a + b);
        expect(BigInt(minus(String(a), String(b)))).toBe(a - b);
      }),
    );
    expect(sum([Number.MAX_SAFE_INTEGER, 2])).toBe('9007199254740993');
    expect(minus('9007199254740993', 2)).toBe(Number.MAX_SAFE_INTEGER);
    expect(allDigits('9007199254740993').replace(/\s/g, '_')).toBe('9_007_199_254_740_993');
  });
});

describe('a change', () => {
  const previous = (changeRatio: number | null, metric = 100, from = 50) => ({
    changeRatio,
    metric,
    window: { from },
  });

  it.each([
    [previous(0.5), '+50 %', 'up'],
    [previous(0.05), '+5.0 %', 'up'],
    [previous(-0.25), '−25 %', 'down'],
    [previous(9.9), '+990 %', 'up'],
    [previous(19), '20 ×', 'up'],
    [previous(28.16), '29 ×', 'up'],
    [previous(0), '0 %', 'same'],
    [previous(null, 0), 'new', 'new'],
    [previous(3, 100, 20), '–', 'unknown'],
    [null, '–', 'unknown'],
  ])('of %j is %s', (before, text, direction) => {
    expect(changeOf(before, 50)).toEqual({ text, direction });
  });
});

describe('times', () => {
  const summer = Date.UTC(2024, 6, 15, 10) / 1000;

  it('are those of the zone, which is named with its offset', () => {
    const berlin = momentsIn('Europe/Berlin');
    expect(berlin.range(summer, summer + 3600)).toBe('Mon 15 Jul 2024, 12:00 – 13:00');
    expect(berlin.full(summer + 1)).toBe('Mon 15 Jul 2024, 12:00:01');
    expect(berlin.name(summer, summer + 3600)).toBe('Europe/Berlin (UTC+02:00)');
    expect(momentsIn('UTC').name(summer, summer + 3600)).toBe('UTC');
  });

  it('over a change of the clocks have both offsets, in order', () => {
    const october = Date.UTC(2026, 9, 22) / 1000;
    const november = Date.UTC(2026, 10, 21) / 1000;
    const berlin = momentsIn('Europe/Berlin');
    expect(berlin.name(october, november)).toBe('Europe/Berlin (UTC+02:00, UTC+01:00)');
    const january = Date.UTC(2026, 0, 1) / 1000;
    const december = Date.UTC(2026, 11, 31) / 1000;
    expect(berlin.name(january, december)).toBe('Europe/Berlin (UTC+01:00, UTC+02:00)');
  });

  it('of one day name it only once', () => {
    const berlin = momentsIn('Europe/Berlin');
    expect(berlin.range(summer, summer + 60)).toBe('Mon 15 Jul 2024, 12:00 – 12:01');
  });

  it.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia'])(
    'in %s are read from fields as they were written into them',
    (zone) => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 4e9 }), (at) => {
          const read = parseField(momentsIn(zone).field(at), zone);
          // The second of two equal hours is read as the first.
          expect(read !== null && [0, 1800, 3600, 86_400].includes(at - read)).toBe(true);
        }),
      );
    },
  );

  it('in fields are exactly those that were shown, until something else is typed', () => {
    const berlin = momentsIn('Europe/Berlin');
    const secondHour = Date.UTC(2026, 9, 25, 1, 30) / 1000;
    for (const at of [secondHour, secondHour + 40]) {
      const text = minuteField(at, berlin);
      expect(text).toBe('2026-10-25T02:30');
      expect(parseMinuteField(text, at, berlin)).toBe(at);
      expect(parseMinuteField(text, null, berlin)).toBe(secondHour - 3600);
      expect(parseMinuteField('2026-10-25T03:30', at, berlin)).toBe(secondHour + 3600);
      expect(parseMinuteField('', at, berlin)).toBeNull();
    }
  });

  it('that are skipped in spring are read with the offset before the change', () => {
    const read = parseField('2024-03-31T02:30', 'Europe/Berlin');
    expect(read).toBe(Date.UTC(2024, 2, 31, 1, 30) / 1000);
  });

  it.each([
    '',
    'yesterday',
    '2024-13-01T00:00',
    '2024-02-30T00:00',
    '2024-02-28T24:00',
    '2024-02-28T10:60',
    '2024-02-28T10:00:60',
  ])('are not "%s"', (text) => {
    expect(parseField(text, 'UTC')).toBeNull();
  });

  it('have durations in their two largest units', () => {
    expect([60, 3600, 5400, 90_000, 604_800].map(longDuration)).toEqual([
      '1 minute',
      '1 hour',
      '1 hour 30 minutes',
      '1 day 1 hour',
      '7 days',
    ]);
  });
});

describe('a day', () => {
  it.each([
    ['2026-02-28', true],
    ['2026-02-29', false],
    ['2028-02-29', true],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-2-1', false],
  ])('%s exists: %s', (text, expected) => {
    expect(isDay(text)).toBe(expected);
  });
});

describe('a month', () => {
  it('has whole weeks from Monday on', () => {
    expect(weeksOf('2024-07-15').map(([monday]) => monday)).toEqual([
      '2024-07-01',
      '2024-07-08',
      '2024-07-15',
      '2024-07-22',
      '2024-07-29',
    ]);
    expect(weeksOf('2026-02-01')).toHaveLength(5);
  });

  it('that is shorter ends with its own last day', () => {
    expect(addMonths('2024-03-31', -1)).toBe('2024-02-29');
    expect(addMonths('2024-12-05', 1)).toBe('2025-01-05');
  });
});

describe('an isolated text', () => {
  it('is unchanged if it is written from left to right', () => {
    expect(isolated('host-1.example.com × 443')).toBe('host-1.example.com × 443');
  });

  it.each([
    ['שרת', '\u2068שרת\u2069'],
    ['a\u202Eb', '\u2068a\u202Eb\u2069'],
    ['a\u2069\u202Eb', '\u2068a\u202Eb\u2069'],
    ['\u2067a', '\u2068\u2067a\u2069\u2069'],
    ['\u2068a\u2069', '\u2068\u2068a\u2069\u2069'],
  ])('keeps what turns it within itself: %j', (text, shown) => {
    expect(isolated(text)).toBe(shown);
  });
});
