import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCrossKey } from '../../../domain/keys/cross-key.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { parseRawKey } from '../../../domain/keys/key-text.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { anyText } from '../../support/random/any-text.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { ALL_PAIRS, ALL_TRIPLES, codecOf, rawKeys, SOME_KINDS } from './random-keys.ts';

const raw = String.raw;

/** The canonical key by the rules for texts; null if the text is not a key. */
const parsed = (kinds: readonly SimpleKeyKind[], text: string): string | null =>
  kinds.length === 1
    ? parseRawKey(kinds[0] as SimpleKeyKind, text)
    : (parseCrossKey(kinds, text)?.key ?? null);

type Encoded = { readonly result: number; readonly bytes: Uint8Array; readonly around: Uint8Array };

/** The result of scanning these bytes, between others that could be read as parts of a key. */
function encoded(kinds: readonly SimpleKeyKind[], source: Uint8Array): Encoded {
  const line = Buffer.concat([Buffer.from('\\0A.'), source, Buffer.from('\\0A.0A')]);
  const into = new Uint8Array(source.length + 20).fill(0xee);
  const result = codecOf(kinds).encodeAscii(line, 4, 4 + source.length, into, 10);
  const bytes = into.slice(10, 10 + Math.max(0, result));
  const around = Uint8Array.of(...into.subarray(0, 10), ...into.subarray(10 + source.length));
  return { result, bytes, around };
}

const UNTOUCHED = new Uint8Array(20).fill(0xee);

function expectSame(kinds: readonly SimpleKeyKind[], text: string): void {
  const { result, bytes, around } = encoded(kinds, Buffer.from(text));
  const key = parsed(kinds, text);
  const scanned = result < 0 ? result : codecOf(kinds).decode(bytes);
  const encodedText = codecOf(kinds).encodeIfKey(text);
  expect({ around, scanned, encodedText }).toEqual({
    around: UNTOUCHED,
    scanned: key ?? -1,
    encodedText: key === null ? null : bytes,
  });
}

const PIECES = [
  '\\',
  '\\\\',
  '.',
  '/',
  '0',
  '1',
  '9',
  'a',
  'F',
  'g',
  'G',
  'Z',
  ' ',
  '\n',
  '\0',
  '\u007f',
  '\u0085',
  '\u00a0',
  'é',
  'ſ',
  '😀',
  '0A',
  '.0A',
  '0a.0a.0a.0a',
  '\\06',
  '/18',
  ':',
  '@',
  '`',
];

/** A key, part of which is left out, replaced or doubled, or in lower case. */
const nearly = (kinds: readonly SimpleKeyKind[]): fc.Arbitrary<string> =>
  fc
    .record({
      key: rawKeys(kinds),
      from: fc.nat(60),
      removed: fc.nat(4),
      added: fc.array(fc.constantFrom(...PIECES), { maxLength: 2 }),
      isLower: fc.boolean(),
    })
    .map(({ key, from, removed, added, isLower }) => {
      const at = from % (key.length + 1);
      // Half a surrogate pair has no UTF-8 encoding.
      const text = Buffer.from(
        `${key.slice(0, at)}${added.join('')}${key.slice(at + removed)}`,
      ).toString();
      return isLower ? text.toLowerCase() : text;
    });

const any = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  anyText({ maxLength: 20 }),
);

describe('scanning a raw key', () => {
  it('accepts what parsing its text accepts, and yields the same key', () => {
    for (const kinds of SOME_KINDS) {
      const texts = fc.oneof(
        rawKeys(kinds),
        rawKeys(kinds).map((key) => key.toLowerCase()),
        { weight: 3, arbitrary: nearly(kinds) },
        any,
      );
      fc.assert(
        fc.property(texts, (text) => expectSame(kinds, text)),
        { numRuns: 2 * FUZZ_CASES },
      );
    }
  });

  it('does so for any two or three kinds', () => {
    for (const kinds of ALL_PAIRS) {
      fc.assert(
        fc.property(fc.oneof(rawKeys(kinds), nearly(kinds)), (text) => expectSame(kinds, text)),
        { numRuns: Math.ceil(FUZZ_CASES / 10) },
      );
    }
    for (const kinds of ALL_TRIPLES) {
      fc.assert(
        fc.property(fc.oneof(rawKeys(kinds), nearly(kinds)), (text) => expectSame(kinds, text)),
        { numRuns: Math.ceil(FUZZ_CASES / 50) },
      );
    }
  });

  it('accepts two upper-case letters for a country, and nothing else', () => {
    const characters = ['@', 'A', 'M', 'Z', '[', '`', 'a', 'z', '0', '\\', '\0', '\u007f'];
    for (const first of characters) {
      expectSame(['country'], first);
      for (const second of characters) {
        expectSame(['country'], `${first}${second}`);
        expectSame(['country'], `A${first}${second}`);
      }
    }
  });

  it('refuses what is not UTF-8, or leaves it to the caller', () => {
    const kinds = ['text', 'text'] as const;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 6 }), (bytes) => {
        const source = Uint8Array.of(...bytes, 0x5c, 0x61);
        const { result } = encoded(kinds, source);
        const text = Buffer.from(source).toString();
        if (Buffer.from(text).equals(source)) {
          expect(result < 0 ? null : text).toBe(parsed(kinds, text));
          expect(result).not.toBe(-2);
        } else expect(result).toBeLessThan(0);
      }),
      { numRuns: 3000 },
    );
    expect(encoded(['text'], Uint8Array.of(0x61, 0xff)).result).toBe(-2);
    expect(encoded(['text', 'ip'], Uint8Array.of(0x61, 0xe9, 0x5c, 0x30)).result).toBe(-2);
  });

  it.each([
    ['512 bytes', 'x'.repeat(512)],
    ['513 bytes', 'x'.repeat(513)],
    ['512 bytes in 256 characters', 'é'.repeat(256)],
    ['514 bytes in 257 characters', 'é'.repeat(257)],
    ['5,000 bytes', 'x'.repeat(5000)],
    ['5,000 bytes in 2,500 characters', 'é'.repeat(2500)],
    ['the first half of a surrogate pair', 'a\ud83d'],
  ])('accepts the same texts as parsing does: %s', (_, text) => {
    const key = parsed(['text'], text);
    const bytes = codecOf(['text']).encodeIfKey(text);
    expect(bytes === null ? null : codecOf(['text']).decode(bytes)).toBe(key);
  });

  it.each([
    [raw`a\\\b\06`, 'of three backslashes, the first two stand for one within a part'],
    [raw`a\b\\\06`, 'a separator after a backslash'],
    [raw`\\\a\06`, 'a first part that is a backslash'],
    [raw`a\\\\b\06`, 'no second part'],
    [raw`a\b\06\\`, 'a backslash in a part of bytes'],
    [raw`a\b\06\06`, 'four parts'],
    [raw`a\b\6`, 'a byte of one digit'],
    [raw`\a\06`, 'an empty first part'],
    [raw`a\b`, 'one part too few'],
  ])('accepts the same keys of two texts and a protocol as parsing does: %s, %s', (text) => {
    expectSame(['text', 'text', 'protocol'], text);
  });

  it('limits the length of a cross-key, escapes included', () => {
    const kinds = ['text', 'text', 'text'] as const;
    const parts = ['\\'.repeat(1024), `a${'\\'.repeat(1022)}`, `b${'\\'.repeat(550)}`];
    const longest = parts.join('\\');
    expect(Buffer.byteLength(longest)).toBe(LIMITS.crossKeyBytes);
    expect(parsed(kinds, longest)).toBe(longest);
    for (const text of [longest, `${longest}c`, `${longest}\\\\`]) expectSame(kinds, text);
  });
});
