import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../domain/filters/search-text.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { runWhole } from '../../../domain/sliced.ts';
import {
  addKey,
  emptyKeySet,
  fullKeySet,
  hasKey,
  type KeySet,
} from '../../../segments/filter/key-set.ts';
import { patternFinder } from '../../../segments/filter/pattern-keys.ts';
import { searchFinder } from '../../../segments/filter/search-keys.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { codecOf, listOf, rawKeys } from '../keys/random-keys.ts';
import { plainKey, textsIn } from './plain-keys.ts';

const KINDS: readonly (readonly SimpleKeyKind[])[] = [
  ['ipv4'],
  ['ip'],
  ['ipv6'],
  ['interface'],
  ['text'],
  ['ipv4', 'ipv4'],
  ['ip', 'port'],
  ['text', 'ip'],
];

/** Decided early, late, at the end, by all bytes, or never; one has too many states for a table. */
const PATTERNS = [
  '^0A\\.0A',
  '^(0|F)',
  'A.*[0-9A]$',
  '[05F]{2}$',
  '.',
  '^$',
  '0(A.){1,9}F',
  '^..$',
];
const SEARCHES = ['10.10', '1', 'a', 'f:', '0a0a', '\\', '10.255', '/', '#10', 'aa', ':a0a'];

/** So many that they are divided by more than one byte before each is read to its end. */
const COUNT = 1_800;

const manyKeys = (kinds: readonly SimpleKeyKind[]): KeyList =>
  listOf(fc.sample(rawKeys(kinds), { numRuns: COUNT, seed: 7 }).map(codecOf(kinds).encode));

/** Two of three keys, but none at the start of the list. */
function someOf(count: number): KeySet {
  const some = emptyKeySet(count);
  for (let i = count >>> 3; i < count; i += 1) if (i % 3 !== 0) addKey(some, i);
  return some;
}

describe.each(KINDS.map((kinds) => ({ kinds })))('of many keys of $kinds', ({ kinds }) => {
  const codec = codecOf(kinds);
  const keys = manyKeys(kinds);
  const all = fullKeySet(keys.count);
  const some = someOf(keys.count);
  const texts = textsIn(all, keys, codec);
  const textsOf = (set: KeySet, passing: readonly boolean[]) =>
    texts.filter((_, i) => hasKey(set, i) && passing[i]);

  it('a pattern matches the same ones as in re2js', () => {
    expect(keys.count).toBeGreaterThan(512);
    for (const pattern of PATTERNS) {
      const plain = RE2JS.compile(pattern);
      const passing = texts.map((text) => plain.test(text));
      const find = runWhole(patternFinder(codec, pattern, 'match'));
      for (const among of [all, some, emptyKeySet(keys.count)]) {
        expect(textsIn(runWhole(find(keys, among)), keys, codec)).toEqual(textsOf(among, passing));
      }
    }
  });

  it('a search finds those whose label or readable form has the text', () => {
    const shown = texts.map((text) => {
      const { label, readable } = plainKey(kinds, text);
      return [foldCase(label() ?? ''), foldCase(readable())];
    });
    for (const search of SEARCHES) {
      const passing = shown.map((each) => each.some((text) => text.includes(search)));
      const find = searchFinder(codec, search);
      for (const among of [all, some]) {
        expect(textsIn(runWhole(find(keys, among)), keys, codec)).toEqual(textsOf(among, passing));
      }
    }
  });
});

describe('keys that begin like the ones before them', () => {
  const codec = codecOf(['text']);
  const texts = Array.from({ length: 600 }, (_, i) => [
    `${'a'.repeat(i % 300)}b`,
    'a'.repeat((i % 300) + 1),
    `${'a'.repeat(i % 300)}c`,
  ]).flat();
  const keys = listOf(texts.map(codec.encode));

  it.each(['aab$', '^a{20}', 'b', '^a+$', '^(aa)*b$'])('are found by %j', (pattern) => {
    const all = fullKeySet(keys.count);
    const plain = RE2JS.compile(pattern);
    const found = runWhole(runWhole(patternFinder(codec, pattern, 'match'))(keys, all));
    const expected = textsIn(all, keys, codec).filter((text) => plain.test(text));
    expect(textsIn(found, keys, codec)).toEqual(expected);
  });
});
