import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHeads } from '../../segments/check/check-heads.ts';
import { readRollUpRange } from '../../segments/check/check-roll-up.ts';
import { laneValue, setWide, wideLanes } from '../../segments/codes/lanes.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import {
  HeadCollector,
  rankedKeyAt,
  rankHead,
  readHead,
  SPAN_HEAD_KEYS,
  type StoredHead,
  writeHead,
} from '../../segments/heads/head.ts';
import { SegmentHeads } from '../../segments/heads/segment-heads.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import { rollUpShape } from '../../segments/roll-up-shape.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { codecOf, listOf, rawKeys, SOME_KINDS } from './keys/random-keys.ts';
import { manySamples } from './many-keys.ts';
import { CODEC, openSegment, SHAPE, writeRollUp, writeSegment } from './plain-segments.ts';

/** The head of ranges of keys; values[i % length] is the value of key i. */
function headOf(
  ranges: readonly ReturnType<typeof listOf>[],
  values: readonly bigint[],
  limit: number,
) {
  const collector = new HeadCollector(limit);
  let firstOrdinal = 0;
  for (const keys of ranges) {
    const ordinals = Uint32Array.from({ length: keys.count }, (_, i) => i);
    const lanes = wideLanes(keys.count);
    for (const i of ordinals) setWide(lanes, i, values[(firstOrdinal + i) % values.length] ?? 0n);
    collector.add({ keys, ordinals, firstOrdinal, column: { values: lanes, counts: null } });
    firstOrdinal += keys.count;
  }
  return collector.finish();
}

const contentOf = ({ keyCount, total, keys, ordinals, values }: StoredHead) => ({
  keyCount,
  total,
  keys: Array.from({ length: keys.count }, (_, i) => Buffer.from(keyAt(keys, i)).toString('hex')),
  ordinals: [...ordinals],
  values: Array.from({ length: keys.count }, (_, i) => laneValue(values, i)),
});

const addresses = (range: number, count: number) =>
  listOf(Array.from({ length: count }, (_, i) => Uint8Array.of(10, range, i >> 8, i & 255)));

describe('a head', () => {
  it.each(SOME_KINDS.map((kinds) => ({ kinds })))(
    'is read as it was written: $kinds',
    ({ kinds }) => {
      const codec = codecOf(kinds);
      fc.assert(
        fc.property(
          fc.uniqueArray(rawKeys(kinds), { minLength: 1, maxLength: 200, size: 'max' }),
          fc.array(fc.bigInt({ min: 0n, max: 2n ** 70n }), { minLength: 1, maxLength: 20 }),
          (texts, values) => {
            const head = headOf([listOf(texts.map((text) => codec.encode(text)))], values, 100);
            if (head) {
              expect(contentOf(readHead(writeHead(head, codec), codec))).toEqual(contentOf(head));
            } else expect(values).toContain(0n);
          },
        ),
        { numRuns: Math.ceil(FUZZ_CASES / 2) },
      );
    },
  );

  it('has the largest keys of all ranges, of equal ones the first, and the rest of them', () => {
    const values = [7n, 0n, 9n, 2n ** 60n, 2n ** 60n + 1n];
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        (counts, limit) => {
          const ranges = counts.map((count, range) => addresses(range, count));
          const all = ranges.flatMap((keys) =>
            Array.from({ length: keys.count }, (_, i) => keyAt(keys, i)),
          );
          const counted = all
            .map((key, i) => ({
              key: Buffer.from(key).toString('hex'),
              value: values[i % 5] as bigint,
              i,
            }))
            .filter(({ value }) => value > 0n);
          const head = headOf(ranges, values, limit);
          if (!head) {
            expect(counted).toEqual([]);
            return;
          }
          const ranked = rankHead(head);
          const listed = Array.from(ranked.ends, (_, rank) => ({
            key: Buffer.from(rankedKeyAt(ranked, rank)).toString('hex'),
            value: laneValue(ranked.values, rank),
            i: ranked.ordinals[rank],
          }));
          const right = counted.toSorted((a, b) => Number(b.value - a.value) || a.i - b.i);
          expect(listed).toEqual(right.slice(0, limit));
          expect(ranked.keyCount).toBe(counted.length);
          expect(ranked.total).toBe(counted.reduce((sum, { value }) => sum + value, 0n));
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('of zeros alone is none', () => {
    expect(headOf([addresses(0, 5)], [0n], 3)).toBeNull();
  });

  it('gives damage, and never a number that is none, whatever bytes are changed', () => {
    const codec = codecOf(['ipv4']);
    const head = headOf([addresses(0, 400)], [3n, 0n, 70_000n, 5n], SPAN_HEAD_KEYS);
    const section = head ? writeHead(head, codec) : new Uint8Array(0);
    const change = fc.record({
      at: fc.nat({ max: section.length - 1 }),
      byte: fc.nat({ max: 255 }),
    });
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat({ max: section.length }), { freq: 4 }),
        (changes, length) => {
          const bytes = section.slice(0, length ?? section.length);
          for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
          try {
            const { values } = rankHead(readHead(bytes, codec));
            expect(values.low.some(Number.isNaN)).toBe(false);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedSegment);
          }
        },
      ),
      { numRuns: 10 * FUZZ_CASES },
    );
  });
});

describe('the heads of a segment', () => {
  it('are of counters alone, of the span and of tiles with many keys', () => {
    const many = writeSegment(manySamples({ keys: 20_000, hours: 3 }), { keys: 9000, rows: 1e6 });
    const { heads, headSeries } = openSegment(many).directory;
    const isThere = (sections: readonly unknown[]) => sections.map((section) => section !== null);
    const counters = [true, false, false, false, false, true];
    expect(heads && isThere(heads.span)).toEqual(counters);
    expect(heads?.tiles.map((tile) => isThere(tile.heads))).toEqual([counters, counters, counters]);
    expect(headSeries).not.toBeNull();
    const few = writeSegment(manySamples({ keys: 4000, hours: 3 }), { keys: 9000, rows: 1e6 });
    expect(openSegment(few).directory).toMatchObject({ heads: null, headSeries: null });
  });

  it('of a roll-up have the largest of all sources', async () => {
    const limits = { keys: 4700, rows: 1_000_000 };
    const sources = [
      manySamples({ keys: 400, hours: 2, network: '09' }),
      manySamples({ keys: 9900, hours: 2, network: '0B' }),
    ].map((samples) => writeSegment(samples, limits));
    const { directory, sections } = openSegment(await writeRollUp(sources, limits));
    const shape = rollUpShape(SHAPE);
    const { span, tileSeconds } = directory;
    const collected = new SegmentHeads({ shape, span, tileSeconds, isRollUp: true });
    for (const range of directory.ranges) {
      const { whole } = readRollUpRange({ directory, range, sections }, CODEC);
      const { keys, readings } = whole;
      const { firstOrdinal } = range;
      const { columns: totals } = readings;
      collected.addRange({ keys, firstOrdinal, byTopperBucket: readings, totals });
    }
    const found = collected.finish();
    expect(found?.span[0]?.keys.count).toBe(SPAN_HEAD_KEYS);
    expect([...checkHeads({ directory, shape, codec: CODEC, sections, found })]).toEqual([]);
  });
});
