import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundKeys } from '../../domain/key-bounds.ts';
import { compileKeyFilter, type KeyFilter } from '../../domain/key-filter.ts';
import type { SimpleKeyKind } from '../../domain/key-kind.ts';
import { isInRanges, joinRanges } from '../../domain/key-range.ts';

const NAMES = { match: 'match', exclude: 'exclude' };

describe('where the keys are that a filter may let pass', () => {
  it('is where its pattern, its networks or its keys are', () => {
    expect(boundKeys({ match: '^C0\\.(A8|A9)\\.' }, ['ipv4'])).toEqual({
      ...{ side: 'inside', isExact: true },
      ranges: [
        { from: 'C0.A8.', below: 'C0.A8/' },
        { from: 'C0.A9.', below: 'C0.A9/' },
      ],
    });
    expect(boundKeys({ cidr: ['10.0.0.0/9'] }, ['ipv4'])).toEqual({
      ...{ side: 'inside', isExact: false },
      ranges: [{ from: '0A.00.00.00', below: '0A.7F.FF.FG' }],
    });
    expect(boundKeys({ keys: ['10.0.0.1'] }, ['ipv4'])?.ranges[0]?.from).toBe('0A.00.00.01');
    expect(boundKeys({ match: '^C0', cidr: ['10.0.0.0/8'] }, ['ipv4'])?.isExact).toBe(false);
  });

  it('is outside of what it leaves out', () => {
    expect(boundKeys({ exclude: '^C0', match: '' }, ['ipv4'])).toEqual({
      ...{ side: 'outside', isExact: true },
      ranges: [{ from: 'C0', below: 'C1' }],
    });
    expect(boundKeys({ exclude: '^C0', excludeKeys: ['10.0.0.1'] }, ['ipv4'])?.isExact).toBe(false);
  });

  it.each<[KeyFilter, SimpleKeyKind[]]>([
    [{ match: 'C0' }, ['ipv4']],
    [{ exclude: '^C0|A8' }, ['ipv4']],
    [{ exclude: '^C0', match: 'A8' }, ['ipv4']],
    [{ cidr: ['10.0.0.0/8'] }, ['ipv4', 'port']],
  ])('of %j is anywhere', (filter, kinds) => {
    expect(boundKeys(filter, kinds)).toBeNull();
  });

  it('never leaves out a key that passes, nor takes one for exact that does not', () => {
    const key = fc.oneof(ADDRESS, fc.string(), fc.string({ unit: fc.constantFrom('0', 'A', '.') }));
    fc.assert(
      fc.property(FILTER, fc.array(key, { maxLength: 40 }), (filter, keys) => {
        const passes = compileKeyFilter(filter, ['ip'], NAMES);
        const bounds = boundKeys(filter, ['ip']);
        if (bounds === null) return;
        for (const text of [...keys, ...(filter.keys ?? []), ...(filter.excludeKeys ?? [])]) {
          if (text.includes('\0')) continue;
          const isIn = isInRanges(text, bounds.ranges);
          const isPassing = passes({ key: text, parts: [text], readable: String, label: String });
          const expected = bounds.side === 'inside' ? isIn : !isIn;
          const isSettled = bounds.isExact || !isIn;
          if (isSettled) expect([text, isPassing]).toEqual([text, expected]);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('ranges', () => {
  it('that meet are joined, in the order of UTF-8 bytes', () => {
    const [first, second] = [
      { from: 'a', below: 'c' },
      { from: 'b', below: 'd' },
    ];
    expect(joinRanges([second, first])).toEqual([{ from: 'a', below: 'd' }]);
    expect(
      joinRanges([
        { from: '\u{1f600}', below: '\u{1f601}' },
        { from: '\uffee', below: '\uffef' },
      ]),
    ).toEqual([
      { from: '\uffee', below: '\uffef' },
      { from: '\u{1f600}', below: '\u{1f601}' },
    ]);
  });
});

const BYTE = fc.constantFrom('00', '0A', '7F', '80', 'A8', 'C0', 'FF');
const ADDRESS = fc
  .oneof(
    fc.array(BYTE, { minLength: 4, maxLength: 4 }),
    fc.array(BYTE, { minLength: 16, maxLength: 16 }),
  )
  .map((bytes) => bytes.join('.'));
const PATTERN = fc.constantFrom('^0A', '^(C0|0A)\\.', '^C0.A8', 'A8$', '^[0-9]', '^0A\\.00\\.?');
const NETWORKS = fc.array(
  fc.oneof(
    fc.tuple(BYTE, BYTE, fc.integer({ min: 0, max: 32 })).map(([a, b, prefix]) => {
      return `${Number.parseInt(a, 16)}.${Number.parseInt(b, 16)}.0.255/${prefix}`;
    }),
    fc.tuple(BYTE, fc.integer({ min: 0, max: 128 })).map(([a, prefix]) => `${a}00::80/${prefix}`),
    fc.constantFrom('10.0.0.0', '::1'),
  ),
  { maxLength: 3 },
);
const FILTER: fc.Arbitrary<KeyFilter> = fc.record(
  {
    ...{ match: PATTERN, exclude: PATTERN, cidr: NETWORKS, excludeCidr: NETWORKS },
    keys: fc.array(fc.oneof(ADDRESS, fc.string(), fc.constant('10.0.0.1')), { maxLength: 3 }),
    excludeKeys: fc.array(ADDRESS, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
