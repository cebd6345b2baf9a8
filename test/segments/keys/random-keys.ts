import fc from 'fast-check';
import { joinCrossKey } from '../../../domain/keys/cross-key.ts';
import { formatHexBytes } from '../../../domain/keys/hex-bytes.ts';
import { KEY_KINDS, type SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { type KeyCodec, keyCodecOf } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../../segments/keys/key-list-builder.ts';

export const SIMPLE_KINDS: readonly SimpleKeyKind[] = KEY_KINDS.filter(
  (kind) => kind !== 'crosskey',
);

/** Mostly the same byte, so that many keys begin alike; else at the ends, or near a backslash. */
const byte = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0x0a) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 0x2e, 0x2f, 0x5b, 0x5c, 0x5d, 0xff) },
  { weight: 1, arbitrary: fc.nat(0xff) },
);

const hex = (count: number): fc.Arbitrary<string> =>
  fc.array(byte, { minLength: count, maxLength: count }).map(formatHexBytes);

const subnet = (count: number): fc.Arbitrary<string> =>
  fc
    .tuple(hex(count), fc.oneof(fc.constantFrom(0, 8, 24, count * 8), fc.nat(count * 8)))
    .map(([address, prefix]) => `${address}/${formatHexBytes([prefix])}`);

/** Characters before and after the separator, the digits, and the surrogates of UTF-16. */
const TEXT_UNITS = [
  'a',
  'a',
  'a',
  '\\',
  '\\',
  ' ',
  '.',
  '/',
  '0',
  '9',
  'A',
  'F',
  'Z',
  '[',
  ']',
  'z',
  '~',
  '\u00a0',
  'é',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '😀',
];

const text = fc.string({ unit: fc.constantFrom(...TEXT_UNITS), minLength: 1, maxLength: 5 });

/** Raw keys of each kind, many of which begin alike. */
export const RAW_PARTS: Readonly<Record<SimpleKeyKind, fc.Arbitrary<string>>> = {
  ipv4: hex(4),
  ipv6: hex(16),
  ip: fc.oneof(hex(4), hex(16)),
  port: hex(2),
  protocol: hex(1),
  mac: hex(6),
  subnet: fc.oneof(subnet(4), subnet(16)),
  interface: fc.oneof(hex(8), hex(20)),
  asn: hex(4),
  country: fc.constantFrom('AA', 'AZ', 'DE', 'DK', 'US', 'ZZ'),
  text,
};

/** The parts of a cross-key of these kinds: a later one cannot begin with a backslash. */
export const rawParts = (kinds: readonly SimpleKeyKind[]): fc.Arbitrary<string[]> =>
  fc.tuple(
    ...kinds.map((kind, i) =>
      i === 0 ? RAW_PARTS[kind] : RAW_PARTS[kind].filter((part) => !part.startsWith('\\')),
    ),
  );

/** Raw keys of a kind or, of several kinds, cross-keys. */
export const rawKeys = (kinds: readonly SimpleKeyKind[]): fc.Arbitrary<string> =>
  kinds.length === 1
    ? RAW_PARTS[kinds[0] as SimpleKeyKind]
    : rawParts(kinds).map((parts) => joinCrossKey(parts));

export const codecOf = (kinds: readonly SimpleKeyKind[]): KeyCodec =>
  kinds.length === 1
    ? keyCodecOf({ keyKind: kinds[0] as SimpleKeyKind, partKinds: null })
    : keyCodecOf({ keyKind: 'crosskey', partKinds: kinds });

export const ALL_PAIRS = SIMPLE_KINDS.flatMap((first) =>
  SIMPLE_KINDS.map((second) => [first, second] as const),
);

export const ALL_TRIPLES = ALL_PAIRS.flatMap((pair) =>
  SIMPLE_KINDS.map((third) => [...pair, third] as const),
);

/** Kinds that are most likely to differ from the rest: with text and tags in every part. */
export const SOME_KINDS: readonly (readonly SimpleKeyKind[])[] = [
  ...SIMPLE_KINDS.map((kind) => [kind]),
  ['ip', 'port'],
  ['ip', 'ip'],
  ['subnet', 'interface'],
  ['text', 'protocol'],
  ['text', 'text'],
  ['text', 'country'],
  ['port', 'text'],
  ['ip', 'ip', 'port'],
  ['interface', 'subnet', 'ip'],
  ['text', 'ip', 'text'],
  ['text', 'text', 'country'],
];

export const byBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

/** The sorted list of these keys, given in any order and possibly with duplicates. */
export function listOf(keys: readonly Uint8Array[]): KeyList {
  const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
  let last: Uint8Array | null = null;
  for (const key of keys.toSorted(byBytes)) {
    if (last === null || byBytes(last, key) !== 0) builder.add(key);
    last = key;
  }
  return builder.finish();
}
