import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byteLength,
  bytesOf,
  chunksOf,
  joinPieces,
  LongText,
  type Piece,
  textOf,
} from '../../../domain/text/long-text.ts';

/** Characters of one to four bytes in UTF-8, the last of which is a surrogate pair. */
const UNITS = ['a', '"', '\n', 'é', 'ß', '€', '漢', '😀'];

/** Short texts, and texts of several times the length that becomes bytes. */
const anyText = fc
  .tuple(
    fc.array(fc.constantFrom(...UNITS), { maxLength: 6 }),
    fc.oneof(fc.constant(1), fc.constantFrom(9_000, 65_535, 65_536, 65_537)),
  )
  .map(([units, times]) => units.join('').repeat(times));

const anyPiece: fc.Arbitrary<Piece> = fc.oneof(
  anyText,
  fc.array(anyText, { maxLength: 3 }).map((texts) => texts.map((text) => Buffer.from(text))),
);

const plain = (piece: Piece): string =>
  typeof piece === 'string' ? piece : Buffer.concat(piece).toString();

const RUNS = { numRuns: 50 };

describe('long text', () => {
  it('is all pieces in order, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(anyPiece, { maxLength: 6 }), (pieces) => {
        const text = new LongText();
        for (const piece of pieces) text.add(piece);
        return textOf(text.end()) === pieces.map(plain).join('');
      }),
      RUNS,
    );
  });

  it('has any separator between its pieces when they are joined', () => {
    fc.assert(
      fc.property(
        fc.array(anyPiece, { maxLength: 6 }),
        fc.constantFrom('', ',', '€'),
        (pieces, separator) =>
          textOf(joinPieces(pieces, separator)) === pieces.map(plain).join(separator),
      ),
      RUNS,
    );
  });

  it('keeps a surrogate pair whose halves are in two pieces', () => {
    const text = new LongText();
    const long = 'x'.repeat(65_535);
    for (const piece of [`${long}\ud83d`, '\ude00', `${long}\ud83d`, '\ude00']) text.add(piece);
    expect(textOf(text.end()) === `${long}😀${long}😀`).toBe(true);
  });

  it('has the same number of bytes in every form', () => {
    fc.assert(
      fc.property(fc.array(anyPiece, { maxLength: 4 }), (pieces) => {
        const body = joinPieces(pieces);
        const bytes = bytesOf(body);
        expect(byteLength(body)).toBe(bytes.length);
        expect(byteLength(bytes)).toBe(bytes.length);
        if (typeof body !== 'string')
          expect(Buffer.concat(chunksOf(body)).equals(bytes)).toBe(true);
      }),
      RUNS,
    );
  });

  it('stays a string only while it is short', () => {
    const textOfPieces = (...pieces: Piece[]) => {
      const text = new LongText();
      for (const piece of pieces) text.add(piece);
      return text.end();
    };
    const short = 'x'.repeat(65_535);
    expect(typeof textOfPieces(short)).toBe('string');
    expect(typeof textOfPieces(short, 'x')).toBe('object');
    expect(typeof joinPieces([short])).toBe('string');
    expect(typeof joinPieces([short, 'x'])).toBe('object');
    expect(textOfPieces()).toBe('');
    expect(joinPieces([])).toBe('');
  });
});
