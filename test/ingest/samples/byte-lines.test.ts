import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { collectBadLines } from '../../../ingest/lines/bad-lines.ts';
import { readLines } from '../../../ingest/lines/read-lines.ts';
import { lineText, readByteLines } from '../../../ingest/samples/byte-lines.ts';

const blocks = async function* (parts: readonly Buffer[]) {
  yield* parts;
};

/** The text in pieces that may end anywhere, even within a character. */
function cut(text: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (const size of [...sizes, text.length]) {
    if (from >= text.length) break;
    parts.push(text.subarray(from, from + size));
    from += size;
  }
  return parts;
}

async function byBytes(parts: readonly Buffer[]) {
  const badLines = collectBadLines('x', 'skip');
  const lines: string[] = [];
  const count = await readByteLines({
    content: blocks(parts),
    badLines,
    take: (line) => {
      lines.push(lineText(line));
      return null;
    },
  });
  return { count, lines, bad: badLines.result() };
}

async function byStrings(parts: readonly Buffer[]) {
  const badLines = collectBadLines('x', 'skip');
  const lines: string[] = [];
  const count = await readLines({
    content: blocks(parts),
    badLines,
    take: (line) => {
      lines.push(line);
      return null;
    },
  });
  return { count, lines, bad: badLines.result() };
}

describe('lines as bytes', () => {
  it('are the same as lines as strings, wherever blocks end', async () => {
    const text = fc
      .array(
        fc.constantFrom(
          ...['\n', '\r\n', '\r', 'a', 'é', '😀', '', '\uFEFF', '{"x":1}'].map((each) =>
            Buffer.from(each),
          ),
          Buffer.of(0xff),
          Buffer.of(0xc3),
        ),
        { maxLength: 40 },
      )
      .map((parts) => Buffer.concat(parts));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 9 })), async (all, sizes) => {
        const parts = cut(all, sizes);
        expect(await byBytes(parts)).toEqual(await byStrings(parts));
      }),
      { numRuns: 500 },
    );
  });

  it('of the maximum length are accepted, and a longer one is one bad line', async () => {
    const longest = 'x'.repeat(LIMITS.importLineBytes);
    const parts = [Buffer.from(longest), Buffer.from(`\n${longest}y\nz`)];
    const found = await byBytes(parts);
    expect(found.lines).toEqual([longest, 'z']);
    expect(found.count).toBe(3);
    expect(found.bad).toEqual((await byStrings(parts)).bad);
  });
});
