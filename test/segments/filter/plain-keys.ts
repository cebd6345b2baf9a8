import fc from 'fast-check';
import type { FilterableKey } from '../../../domain/filters/key-filter.ts';
import { joinCrossKey, parseCrossKey } from '../../../domain/keys/cross-key.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import type { CounterGroupView } from '../../../resolvers/counter-groups.ts';
import { labelOf, readableOf } from '../../../resolvers/keys.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import type { OwnLabels } from '../../../segments/filter/plain-texts.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import { type KeyList, keyAt } from '../../../segments/keys/key-list.ts';
import { RAW_PARTS } from '../keys/random-keys.ts';

/** The raw keys in a set. */
export const textsIn = (set: KeySet, keys: KeyList, codec: KeyCodec): string[] =>
  Array.from({ length: keys.count }, (_, i) => i)
    .filter((i) => hasKey(set, i))
    .map((i) => codec.decode(keyAt(keys, i)));

export const NO_LABELS: OwnLabels = { keys: new Map(), parts: [] };

/** A key as the service shows it to filters. */
export function plainKey(
  kinds: readonly SimpleKeyKind[],
  key: string,
  labels = NO_LABELS,
): FilterableKey {
  const parts: string[] = kinds.length > 1 ? (parseCrossKey(kinds, key)?.parts ?? []) : [];
  const crosskey = kinds.length > 1 ? { guids: [] } : null;
  // The code reads no other fields of a group.
  const group = { kinds, crosskey } as unknown as CounterGroupView;
  const row = {
    groupId: 1,
    description: null,
    attributes: null,
    key,
    parts,
    label: labels.keys.get(key) ?? null,
    partLabels: parts.map((part, i) => labels.parts[i]?.get(part) ?? null),
  };
  const view = { group, row };
  return {
    key,
    parts: crosskey ? parts : [key],
    readable: () => readableOf(view),
    label: () => labelOf(view),
  };
}

/** Letters whose case or accents depend on others, and some that do not. */
const LETTERS = [
  'a',
  'i',
  'I',
  'S',
  's',
  'e',
  'e',
  '.',
  '1',
  '0',
  '\\',
  '\\',
  '/',
  '#',
  ' ',
  ':',
  '\u0307',
  '\u0301',
  '\u0338',
  'é',
  'ß',
  'İ',
  'ı',
  'Σ',
  'ς',
  'σ',
  'K',
  'ſ',
  '😀',
  '\ufffd',
];
const text = (letters: readonly string[]): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 });

/** As RAW_PARTS, but with more values that have names. */
const NAMED_PARTS: Readonly<Record<SimpleKeyKind, fc.Arbitrary<string>>> = {
  ...RAW_PARTS,
  port: fc.constantFrom('00.50', '01.BB', '00.16', '17.70', '00.00', 'FF.FF', '0A.0A'),
  protocol: fc.constantFrom('06', '11', '3A', '00', 'FF', '79'),
  country: fc.constantFrom('DE', 'CI', 'TR', 'CW', 'AX', 'ZZ', 'US', 'QX'),
  text: fc.oneof(text(LETTERS), text(LETTERS.slice(0, 16)), text(['a', 'S', '\\'])),
};

const ipv6 = fc.constantFrom(
  '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01',
  '00.00.00.00.00.00.00.00.00.00.FF.FF.0A.0B.0C.FF',
  '20.01.00.00.00.00.00.01.00.00.00.00.00.00.00.00',
  '00.00.00.00.00.00.00.00.00.00.00.00.00.00.00.00',
);

/** The raw parts of a cross-key, or the only part of another key. */
export const namedParts = (kinds: readonly SimpleKeyKind[]): fc.Arbitrary<string[]> =>
  fc.tuple(
    ...kinds.map((kind, i) => {
      const isAddress = kind === 'ip' || kind === 'ipv6';
      const part = isAddress ? fc.oneof(ipv6, NAMED_PARTS[kind]) : NAMED_PARTS[kind];
      return i === 0 ? part : part.filter((raw) => !raw.startsWith('\\'));
    }),
  );

export const keyOfParts = (parts: readonly string[]): string =>
  parts.length > 1 ? joinCrossKey(parts) : (parts[0] ?? '');

/** Labels of any of the letters. */
export const LABELS = text(LETTERS);

/** A piece of one of these texts, or some letters. */
export const pieceOf = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: text(LETTERS) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom('1', ...texts), fc.nat(30), fc.integer({ min: 1, max: 12 }))
        .map(([from, start, length]) => {
          const first = start % from.length;
          return from.slice(first, first + length);
        }),
    },
  );
