import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRanges } from '../../segments/merge/merge-ranges.ts';
import { readRange } from '../../segments/pages/read-range.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { checkWholeSegment } from './check-whole-segment.ts';
import {
  CODEC,
  openSegment,
  type PlainSample,
  plainTable,
  SHAPE,
  SMALL,
  samples,
  sorted,
  spanOf,
  tableOfRange,
  writeRanges,
  writeSegment,
} from './plain-segments.ts';

/** Samples, split into parts that each become a segment. */
const splitSamples = fc
  .tuple(samples, fc.array(fc.nat({ max: 4 }), { minLength: 1 }))
  .map(([list, parts]) => {
    const split = new Map<number, PlainSample[]>();
    for (const [i, sample] of list.entries()) {
      const part = parts[i % parts.length] ?? 0;
      split.set(part, [...(split.get(part) ?? []), sample]);
    }
    return { list, parts: [...split.values()] };
  });

function* rangesOf(list: readonly PlainSample[]): Generator<KeyRange> {
  const { directory, sections } = openSegment(writeSegment(list));
  for (const range of directory.ranges)
    yield readRange({ directory, range, sections }, CODEC, SHAPE);
}

async function merged(parts: readonly (readonly PlainSample[])[]): Promise<KeyRange[]> {
  const ranges: KeyRange[] = [];
  for await (const range of mergeRanges(parts.map(rangesOf), SHAPE, SMALL)) ranges.push(range);
  return ranges;
}

describe('merging', () => {
  it('of any split yields the readings of the whole, in ranges within the limits', async () => {
    await fc.assert(
      fc.asyncProperty(splitSamples, async ({ list, parts }) => {
        const ranges = await merged(parts);
        const tables = ranges.flatMap((range) => [...tableOfRange(range)]);
        expect(sorted(new Map(tables))).toEqual(sorted(plainTable(list)));
        for (const { keys, readings } of ranges) {
          expect(keys.count).toBeLessThanOrEqual(SMALL.keys);
          const isOneKey = keys.count === 1;
          expect(isOneKey || readings.starts.length <= SMALL.rows).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('yields the same bytes, whatever the split, and a segment that passes its check', async () => {
    await fc.assert(
      fc.asyncProperty(splitSamples, async ({ list, parts }) => {
        const whole = writeRanges(await merged([list]), spanOf(list));
        const again = writeRanges(await merged([await shuffled(parts)]), spanOf(list));
        expect(again).toEqual(whole);
        expect([
          ...checkWholeSegment({ ...openSegment(again), shape: SHAPE, codec: CODEC }),
        ]).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('of nothing yields nothing', async () => {
    expect(await merged([])).toEqual([]);
  });
});

const shuffled = async (parts: readonly (readonly PlainSample[])[]) => parts.toReversed().flat();
