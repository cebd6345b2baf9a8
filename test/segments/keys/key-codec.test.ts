import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCrossKey } from '../../../domain/keys/cross-key.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { DamagedSegment } from '../../../segments/damaged-segment.ts';
import { keyCodecOf } from '../../../segments/keys/key-codec.ts';
import {
  ALL_PAIRS,
  ALL_TRIPLES,
  byBytes,
  codecOf,
  rawKeys,
  rawParts,
  SIMPLE_KINDS,
  SOME_KINDS,
} from './random-keys.ts';

const raw = String.raw;
const V6 = '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01';
const V6_HEX = '20010db8000000000000000000000001';
const V6_TAIL = '000000000000000000000001';

/** Kinds, raw key, and compact key in hexadecimal digits, with a space between parts. */
const FORMS: readonly (readonly [readonly SimpleKeyKind[], string, string])[] = [
  [['ipv4'], 'C0.A8.01.0A', 'c0a8010a'],
  [['ipv6'], V6, V6_HEX],
  [['ip'], 'C0.A8.01.0A', 'c0a8010a'],
  [['ip'], V6, V6_HEX],
  [['port'], '01.BB', '01bb'],
  [['protocol'], '06', '06'],
  [['mac'], '00.0B.DB.63.58.A6', '000bdb6358a6'],
  [['subnet'], 'C0.A8.01.00/18', 'c0a801000118'],
  [['subnet'], `${V6}/40`, `20010db800${V6_TAIL}40`],
  [['interface'], 'C0.A8.01.01.00.00.00.03', 'c0a8010100000003'],
  [['interface'], `${V6}.00.01.00.00`, `${V6_HEX}00010000`],
  [['asn'], '00.00.3B.41', '00003b41'],
  [['country'], 'DE', '4445'],
  [['text'], raw`a\é`, '615cc3a9'],
  [['ip', 'port'], raw`C0.A8.01.0A\00.50`, 'c0a8010a01 0050'],
  [['ip', 'port'], raw`${V6}\00.50`, `20010db800${V6_TAIL} 0050`],
  [['port', 'ip'], raw`00.50\C0.A8.01.0A`, '0050 c0a8010a'],
  [['port', 'ip'], `00.50\\${V6}`, `0050 ${V6_HEX}`],
  [['subnet', 'subnet'], raw`0A.00.00.00/08\0A.00.00.00/08`, '0a0000000108 0a0000000108'],
  [['interface', 'asn'], raw`0A.00.00.01.00.00.00.03\00.00.00.05`, '0a0000010000000301 00000005'],
  [
    ['interface', 'asn'],
    raw`${V6}.00.00.00.03\00.00.00.05`,
    `20010db80000000000${V6_TAIL.slice(8)}00000003 00000005`,
  ],
  [['text', 'protocol'], raw`a\\b\06`, '615c5c625c00 06'],
  [['text', 'text', 'country'], raw`a\b\DE`, '615c 625c 4445'],
  [['protocol', 'text'], raw`06\b\\`, '06 625c5c'],
];

const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(Buffer.from(digits.replaceAll(' ', ''), 'hex'));

describe('a compact key', () => {
  it.each(FORMS)('of %j: %s is %s', (kinds, text, digits) => {
    const codec = codecOf(kinds);
    const bytes = codec.encode(text);
    expect(bytes).toEqual(fromHex(digits));
    expect(codec.decode(bytes)).toBe(text);
  });

  it.each(FORMS)('of %j: %s has the parts %s', (kinds, text, digits) => {
    const codec = codecOf(kinds);
    const key = fromHex(digits);
    const parts = kinds.length === 1 ? [text] : splitCrossKey(text);
    const words = digits.split(' ').map(fromHex);
    const ends = new Uint32Array(kinds.length);
    // With other bytes before and after it, as in a list.
    codec.partEnds(Uint8Array.of(0x5c, 0x5c, ...key, 0x5c), 2, 2 + key.length, ends);
    let end = 2;
    words.forEach((word, i) => {
      end += word.length;
      expect(ends[i]).toBe(end);
      expect(codec.encodePart(i, parts?.[i] ?? '')).toEqual(word);
      expect(codec.decodePart(i, word)).toBe(parts?.[i]);
    });
  });
});

const NO_COMPACT_KEYS: readonly (readonly [readonly SimpleKeyKind[], string, string])[] = [
  [['ipv4'], '', 'nothing'],
  [['ipv4'], '0a0000', 'one byte too few'],
  [['ipv4'], '0a00000001', 'one byte too many'],
  [['ip'], '0a00000001', 'the length of neither kind of address'],
  [['subnet'], '0a0000000121', 'a prefix of 33'],
  [['subnet'], `20010db800${V6_TAIL}81`, 'a prefix of 129'],
  [['subnet'], '0a0000000218', 'an unknown tag'],
  [['subnet'], '0a00000001', 'no prefix'],
  [['ip', 'port'], '0a000000020050', 'an unknown tag'],
  [['ip', 'port'], '0a00000000 0050', 'the tag of a longer form'],
  [['ip', 'port'], '0a000000010050ff', 'one byte too many'],
  [['country'], '6465', 'lower case'],
  [['country'], '44', 'one letter'],
  [['text'], '', 'nothing'],
  [['text'], '61ff', 'bytes that are not UTF-8'],
  [['text'], 'eda080', 'a surrogate'],
  [['text'], 'c080', 'an overlong encoding of a character'],
  [['text'], 'f4908080', 'a code point beyond U+10FFFF'],
  [['text'], '610a', 'a control character'],
  [['text'], 'c285', 'a control character beyond ASCII'],
  [['text'], '61'.repeat(513), '513 bytes'],
  [['text', 'protocol'], '5c0006', 'an empty part'],
  [['text', 'protocol'], '615c06', 'a separator without its zero'],
  [['text', 'protocol'], '615c00', 'no second part'],
  [['text', 'protocol'], '61', 'no separator'],
  [['text', 'text'], '615c', 'no second part'],
  [['text', 'text'], '615c625c', 'one separator too many'],
  [['protocol', 'text'], '065c5c61', 'a second part that begins with a backslash'],
];

describe('bytes that are not a key', () => {
  it.each(NO_COMPACT_KEYS)('of %j, %s, are refused: %s', (kinds, digits) => {
    expect(() => codecOf(kinds).decode(fromHex(digits))).toThrow(DamagedSegment);
  });

  it('are refused, unless they are the only form of the key that they decode to', () => {
    const anyBytes = fc.uint8Array({ maxLength: 30 });
    for (const kinds of SOME_KINDS) {
      const codec = codecOf(kinds);
      const mutated = fc
        .tuple(rawKeys(kinds), fc.nat(), fc.nat(0xff))
        .map(([key, at, byte]) =>
          codec.encode(key).map((b, i, all) => (i === at % all.length ? byte : b)),
        );
      fc.assert(
        fc.property(fc.oneof(anyBytes, mutated), (bytes) => {
          let text: string;
          try {
            text = codec.decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedSegment);
            return;
          }
          expect(codec.encode(text)).toEqual(bytes);
        }),
        { numRuns: 200 },
      );
    }
  });
});

function expectSameOrder(kinds: readonly SimpleKeyKind[], numRuns: number): void {
  const codec = codecOf(kinds);
  const isSame = fc.property(
    fc.array(rawKeys(kinds), { minLength: 2, maxLength: 30, size: 'max' }),
    (keys) => {
      const texts = [...new Set(keys)].toSorted((a, b) => byBytes(Buffer.from(a), Buffer.from(b)));
      const sorted = texts.map(codec.encode).toSorted(byBytes);
      expect(sorted.map(codec.decode)).toEqual(texts);
      const isAfter = (key: Uint8Array, i: number) =>
        i === 0 || byBytes(sorted[i - 1] as Uint8Array, key) < 0;
      expect(sorted.every(isAfter)).toBe(true);
    },
  );
  fc.assert(isSame, { numRuns });
}

describe('the order of compact keys is that of the raw texts', () => {
  it.each(SIMPLE_KINDS)('of kind %s', (kind) => {
    expectSameOrder([kind], 60);
  });

  it('of any two kinds', () => {
    for (const kinds of ALL_PAIRS) expectSameOrder(kinds, 12);
  });

  it('of any three kinds', () => {
    for (const kinds of ALL_TRIPLES) expectSameOrder(kinds, 2);
  });
});

describe('a part of a compact key', () => {
  it('has the same bytes next to any other parts', () => {
    for (const kinds of [
      ...ALL_PAIRS,
      ['text', 'text', 'ip'],
      ['ip', 'subnet', 'interface'],
    ] as const) {
      const codec = codecOf(kinds);
      fc.assert(
        fc.property(rawParts(kinds), (parts) => {
          const encoded = parts.map((part, i) => codec.encodePart(i, part));
          const key = codec.encode(parts.map((part) => part.replaceAll('\\', '\\\\')).join('\\'));
          expect(Buffer.concat(encoded.map((part) => part ?? new Uint8Array()))).toEqual(
            Buffer.from(key),
          );
        }),
        { numRuns: 10 },
      );
    }
  });

  it('is null if no key can have it', () => {
    const codec = codecOf(['text', 'text']);
    expect(codec.encodePart(0, '\\a')).toEqual(fromHex('5c5c615c'));
    expect(codec.encodePart(1, '\\a')).toBeNull();
    expect(codec.encodePart(0, '')).toBeNull();
    expect(codecOf(['ip', 'port']).encodePart(1, 'C0.A8.01.0A')).toBeNull();
  });
});

describe('the codec of a group', () => {
  it('is for one kind, or for two or three parts', () => {
    expect(() => keyCodecOf({ keyKind: 'ip', partKinds: ['ip', 'port'] })).toThrow(RangeError);
    expect(() => keyCodecOf({ keyKind: 'crosskey', partKinds: null })).toThrow(RangeError);
    expect(() => keyCodecOf({ keyKind: 'crosskey', partKinds: ['ip'] })).toThrow(RangeError);
  });

  it('names the text that it cannot encode', () => {
    expect(() => codecOf(['ip', 'port']).encode('192.168.1.10')).toThrow(
      raw`a raw key of kind ip\port was expected, not 192.168.1.10`,
    );
  });
});
