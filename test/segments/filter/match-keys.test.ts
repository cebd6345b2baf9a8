import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileKeyFilter, type KeyFilter } from '../../../domain/filters/key-filter.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { isAddressKind } from '../../../domain/keys/key-text.ts';
import { runWhole } from '../../../domain/sliced.ts';
import { addKey, emptyKeySet, fullKeySet, hasKey } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { codecOf, listOf, SOME_KINDS } from '../keys/random-keys.ts';
import { keyOfParts, namedParts, plainKey, textsIn } from './plain-keys.ts';

const NAMES = { match: 'key_filter', exclude: 'inverse_key_filter' };

const PATTERN = fc.constantFrom(
  '^0A',
  '0A$',
  '\\\\',
  '(?i)a',
  'A8|00\\.50',
  '^(C0|0A)\\.',
  '[^.]{3}',
  '(?i)é',
  '\\d\\\\0',
);
const octet = fc.constantFrom(0, 1, 10, 46, 92, 255);
const NETWORK = fc.oneof(
  fc
    .tuple(octet, octet, fc.integer({ min: 0, max: 32 }))
    .map(([a, b, prefix]) => `${a}.${b}.10.10/${prefix}`),
  fc.constantFrom('10.10.10.10', '0.0.0.0/0', '::/0', '2001:db8::/32', 'a0a:a0a::/16', '2001::/17'),
);
const lists = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 3 });

function filters(
  kinds: readonly SimpleKeyKind[],
  raws: readonly string[],
): fc.Arbitrary<KeyFilter> {
  const key = fc.constantFrom(
    '10.10.10.10',
    'none',
    '',
    ...raws,
    ...raws.map((raw) => raw.toLowerCase()),
  );
  const networks = kinds.some(isAddressKind) ? lists(NETWORK) : fc.constant([]);
  return fc.record(
    {
      match: PATTERN,
      exclude: PATTERN,
      keys: fc.array(key),
      excludeKeys: lists(key),
      search: fc.constantFrom('1', 'a', '10.1', 'tcp', '\\', 'é'),
      cidr: networks,
      excludeCidr: networks,
    },
    { requiredKeys: [] },
  );
}

const matching = (codec: KeyCodec, filter: KeyFilter) => {
  const matches = runWhole(keyMatcher(codec, filter));
  return (...args: Parameters<typeof matches>) => runWhole(matches(...args));
};

describe('the keys of a list that pass a filter', () => {
  it.each(SOME_KINDS.map((kinds) => ({ kinds })))(
    'are those that pass it one by one, for keys of $kinds',
    ({ kinds }) => {
      const codec = codecOf(kinds);
      const given = fc
        .array(fc.tuple(namedParts(kinds).map(keyOfParts), fc.boolean()), { maxLength: 40 })
        .chain((rows) =>
          filters(
            kinds,
            rows.map(([raw]) => raw),
          ).map((filter) => ({ rows, filter })),
        );
      fc.assert(
        fc.property(given, ({ rows, filter }) => {
          const keys = listOf(rows.map(([raw]) => codec.encode(raw)));
          const test = compileKeyFilter(filter, kinds, NAMES);
          const passing = textsIn(fullKeySet(keys.count), keys, codec).filter((raw) =>
            test(plainKey(kinds, raw)),
          );
          expect(textsIn(matching(codec, filter)(keys), keys, codec)).toEqual(passing);

          const among = emptyKeySet(keys.count);
          for (const [i, [, isAmong]] of rows.entries()) {
            if (isAmong && i < keys.count) addKey(among, i);
          }
          const before = among.words.slice();
          const some = matching(codec, filter)(keys, { among });
          const expected = textsIn(among, keys, codec).filter((raw) => passing.includes(raw));
          expect(textsIn(some, keys, codec)).toEqual(expected);
          expect(among.words).toEqual(before);
        }),
        { numRuns: FUZZ_CASES },
      );
    },
  );

  it('are in memory that threads share', () => {
    const codec = codecOf(['ipv4']);
    const keys = listOf([codec.encode('0A.00.00.01')]);
    const { words } = matching(codec, { match: '01$' })(keys);
    expect(words.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect([...words]).toEqual([1]);
  });

  it('are right in a second list, after the matcher has remembered parts of the first', () => {
    const codec = codecOf(['ip', 'text']);
    const matcher = matching(codec, { search: '1.1\\ab', exclude: 'zz' });
    const raws = ['01.01.01.01\\ABC', '01.01.01.02\\ABC', '01.01.01.01\\abzz', '01.01.01.01\\é'];
    for (const each of [raws, raws.slice(0, 2), raws.slice(2), raws]) {
      const keys = listOf(each.map(codec.encode));
      const expected = each.filter((raw) => raw === '01.01.01.01\\ABC');
      expect(textsIn(matcher(keys), keys, codec)).toEqual(expected);
    }
  });

  it('are found among long runs of keys that a common prefix decides', () => {
    const codec = codecOf(['ipv4']);
    const raws = ['09', '0A', '0B'].flatMap((first) =>
      Array.from({ length: 300 }, (_, i) => {
        const [high, low] = [i >> 8, i & 255].map((byte) => byte.toString(16).padStart(2, '0'));
        return `${first}.00.${high}.${low}`.toUpperCase();
      }),
    );
    const keys = listOf(raws.map(codec.encode));
    const among = fullKeySet(keys.count);
    const expected = raws.filter((raw) => raw.startsWith('0A'));
    expect(textsIn(matching(codec, { match: '^0A' })(keys), keys, codec)).toEqual(expected);
    const odd = emptyKeySet(keys.count);
    for (let i = 1; i < keys.count; i += 2) if (hasKey(among, i)) addKey(odd, i);
    const found = matching(codec, { exclude: '^0[9B]' })(keys, { among: odd });
    expect(textsIn(found, keys, codec)).toEqual(expected.filter((_, i) => i % 2 === 1));
  });

  it('are found by thousands of networks of both families', () => {
    const codec = codecOf(['port', 'ip']);
    const texts = Array.from({ length: 3000 }, (_, i) =>
      i % 2 === 0 ? `10.${i % 250}.${i >> 4}.0/26` : `2001:${i.toString(16)}::/33`,
    );
    const raws = Array.from({ length: 2000 }, (_, i) => {
      const [a, b] = [i % 250, i >> 4].map((byte) => byte.toString(16).padStart(2, '0'));
      const number = i.toString(16).padStart(4, '0').match(/../g)?.join('.');
      return i % 3 === 0
        ? `00.01\\0A.${a}.${b}.${i % 2 === 0 ? '3F' : '40'}`.toUpperCase()
        : `00.01\\20.01.${number}.${i % 2 === 0 ? '7F' : '80'}${'.00'.repeat(11)}`.toUpperCase();
    });
    const keys = listOf(raws.map(codec.encode));
    const test = compileKeyFilter({ cidr: texts }, codec.kinds, NAMES);
    const expected = textsIn(fullKeySet(keys.count), keys, codec).filter((raw) =>
      test(plainKey(codec.kinds, raw)),
    );
    expect(expected.length).toBeGreaterThan(100);
    expect(expected.length).toBeLessThan(keys.count);
    expect(textsIn(matching(codec, { cidr: texts })(keys), keys, codec)).toEqual(expected);
  });
});

describe('a filter that cannot be used', () => {
  it.each<[KeyFilter, readonly SimpleKeyKind[], string]>([
    [{ match: 'a(b' }, ['ip'], 'key_filter must be an RE2 pattern, got "a(b": missing closing )'],
    [{ exclude: ')' }, ['ip'], 'inverse_key_filter must be an RE2 pattern'],
    [{ cidr: ['10.0.0'] }, ['ip'], 'cidr must be addresses or networks in CIDR form'],
    [{ excludeCidr: ['10.0.0.0/8'] }, ['port'], 'excludeCidr must be left out'],
  ])('%j for keys of %j is refused before any key is checked', (filter, kinds, message) => {
    expect(() => runWhole(keyMatcher(codecOf(kinds), filter, NAMES))).toThrow(message);
  });
});
