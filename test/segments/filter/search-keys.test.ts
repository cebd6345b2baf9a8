import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileKeyFilter } from '../../../domain/filters/key-filter.ts';
import { foldCase } from '../../../domain/filters/search-text.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { runWhole } from '../../../domain/sliced.ts';
import { fullKeySet } from '../../../segments/filter/key-set.ts';
import { keyMatcher } from '../../../segments/filter/match-keys.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import { searchFinder } from '../../../segments/filter/search-keys.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  ALL_PAIRS,
  ALL_TRIPLES,
  codecOf,
  listOf,
  SIMPLE_KINDS,
  SOME_KINDS,
} from '../keys/random-keys.ts';
import {
  keyOfParts,
  LABELS,
  NO_LABELS,
  namedParts,
  pieceOf,
  plainKey,
  textsIn,
} from './plain-keys.ts';

type Case = { raws: string[]; search: string; labels: OwnLabels };

/** Keys, and a piece of the label or readable form of one of them, in upper or lower case. */
function cases(
  kinds: readonly SimpleKeyKind[],
  given: fc.Arbitrary<string | null>,
): fc.Arbitrary<Case> {
  return fc
    .array(fc.tuple(namedParts(kinds), given, fc.array(given, { minLength: 3, maxLength: 3 })), {
      minLength: 1,
      maxLength: 25,
    })
    .chain((rows) => {
      const labels = labelsOf(rows, kinds);
      const raws = rows.map(([parts]) => keyOfParts(parts));
      const shown = raws.map((raw) => plainKey(kinds, raw, labels));
      const texts = shown.flatMap(({ label, readable }) => [label(), readable()]);
      return fc
        .tuple(
          pieceOf(texts),
          fc.constantFrom(String, foldCase, (text: string) => text.toUpperCase()),
        )
        .map(([piece, change]) => ({ raws, search: change(piece), labels }));
    });
}

function labelsOf(
  rows: readonly [string[], string | null, (string | null)[]][],
  kinds: readonly SimpleKeyKind[],
): OwnLabels {
  const keys = new Map<string, string>();
  const parts = kinds.length > 1 ? kinds.map(() => new Map<string, string>()) : [];
  for (const [raws, label, partLabels] of rows) {
    if (label !== null) keys.set(keyOfParts(raws), label);
    for (const [i, given] of parts.entries()) {
      const partLabel = partLabels[i] ?? null;
      if (partLabel !== null) given.set(raws[i] ?? '', partLabel);
    }
  }
  return { keys, parts };
}

function expectFound(kinds: readonly SimpleKeyKind[], { raws, search, labels }: Case): void {
  const codec = codecOf(kinds);
  const keys = listOf(raws.map(codec.encode));
  const passes = compileKeyFilter({ search }, kinds, { match: 'match', exclude: 'exclude' });
  const expected = textsIn(fullKeySet(keys.count), keys, codec).filter((raw) =>
    passes(plainKey(kinds, raw, labels)),
  );
  const options = labels === NO_LABELS ? {} : { labels };
  const found = runWhole(runWhole(keyMatcher(codec, { search }))(keys, options));
  expect(textsIn(found, keys, codec)).toEqual(expected);
}

const nothing = fc.constant(null);

describe('the keys that a search finds', () => {
  it.each(SOME_KINDS.map((kinds) => ({ kinds })))(
    'are those whose label or readable form has the text, for keys of $kinds',
    ({ kinds }) => {
      fc.assert(
        fc.property(cases(kinds, nothing), (each) =>
          expectFound(kinds, { ...each, labels: NO_LABELS }),
        ),
        { numRuns: FUZZ_CASES },
      );
    },
  );

  it('are the same for cross-keys of any two or three kinds', () => {
    const any = fc.constantFrom(...ALL_PAIRS, ...ALL_TRIPLES);
    fc.assert(
      fc.property(
        any.chain((kinds) => cases(kinds, nothing).map((each) => ({ kinds, each }))),
        ({ kinds, each }) => expectFound(kinds, { ...each, labels: NO_LABELS }),
      ),
      { numRuns: 10 * FUZZ_CASES },
    );
  });

  it('include those found by the labels that users gave to keys and their parts', () => {
    const any = fc.constantFrom(
      ...SIMPLE_KINDS.map((kind) => [kind]),
      ...ALL_PAIRS,
      ...ALL_TRIPLES,
    );
    const given = fc.option(LABELS, { freq: 2 });
    fc.assert(
      fc.property(
        any.chain((kinds) => cases(kinds, given).map((each) => ({ kinds, each }))),
        ({ kinds, each }) => expectFound(kinds, each),
      ),
      { numRuns: 10 * FUZZ_CASES },
    );
  });
});

describe('a search', () => {
  const found = (kinds: readonly SimpleKeyKind[], raws: string[], search: string): string[] => {
    const codec = codecOf(kinds);
    const keys = listOf(raws.map(codec.encode));
    return textsIn(
      runWhole(searchFinder(codec, search)(keys, fullKeySet(keys.count))),
      keys,
      codec,
    );
  };

  it.each<[readonly SimpleKeyKind[], string, string]>([
    [['ipv4'], 'C0.A8.01.0A', '192.168'],
    [['ip'], '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01', '2001:DB8::1'],
    [['port'], '00.50', 'HTTP'],
    [['port'], '00.50', '80'],
    [['protocol'], '06', 'tcp'],
    [['mac'], '00.0B.DB.63.58.A6', 'DB:63'],
    [['subnet'], 'C0.A8.01.00/18', '.0/24'],
    [['interface'], 'C0.A8.01.01.00.00.00.03', '1.1 #3'],
    [['asn'], '00.00.3B.41', 'as15169'],
    [['country'], 'CI', 'CÔTE'],
    [['text'], 'İstanbul', 'istanbul'],
    [['ip', 'port'], 'C0.A8.01.0A\\00.50', '10\\http'],
    [['ip', 'port'], 'C0.A8.01.0A\\00.50', '10\\80'],
    [['text', 'text'], 'a\\\\b\\c', 'A\\\\B\\C'],
  ])('among keys of %j finds %s by %j', (kinds, raw, search) => {
    expect(found(kinds, [raw], search)).toEqual([raw]);
  });

  it.each<[readonly SimpleKeyKind[], string, string]>([
    [['ipv4'], 'C0.A8.01.0A', 'C0.A8'],
    [['text'], 'cafe\u0301', 'cafe'],
    [['ip', 'port'], 'C0.A8.01.0A\\00.50', '10http'],
  ])('among keys of %j does not find %s by %j', (kinds, raw, search) => {
    expect(found(kinds, [raw], search)).toEqual([]);
  });

  it('finds half of a surrogate pair, as texts are compared by UTF-16 code units', () => {
    expect(found(['text'], ['😀', '\ufffd'], '\ud83d')).toEqual(['😀']);
  });

  it('checks each of many neighbours that begin with the same accented letter', () => {
    const raws = Array.from(
      { length: 40 },
      (_, i) => `é${String.fromCharCode(0x61 + (i % 20))}${i}`,
    );
    expect(found(['text'], raws, 'ÉT').toSorted()).toEqual(
      raws.filter((raw) => raw.startsWith('ét')).toSorted(),
    );
  });

  it('keeps IPv4 and IPv6 addresses apart that begin with the same bytes', () => {
    const hosts = (first: number, rest: string) =>
      Array.from({ length: 20 }, (_, i) => `0A.00.00.${first + i}${rest}`);
    const ipv4 = hosts(10, '');
    const ipv6 = hosts(40, '.00'.repeat(12));
    expect(found(['ip'], [...ipv4, ...ipv6], '10.0.0')).toEqual(ipv4);
    expect(found(['ip'], [...ipv4, ...ipv6], 'a00:')).toEqual(ipv6);
  });
});
