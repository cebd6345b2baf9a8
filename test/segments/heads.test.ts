import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HEAD_KEYS,
  headOf,
  readGroupHead,
  readGroupHeads,
  type StoredHead,
  writeGroupHeads,
} from '../../segments/blocks/heads.ts';
import { WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import { rankedKeyAt, rankHeads } from '../../segments/blocks/rank-heads.ts';
import { checkHeads } from '../../segments/check/check-heads.ts';
import { readRollUpRange } from '../../segments/check/check-roll-up.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { codecOf, listOf, rawKeys, SOME_KINDS } from './keys/random-keys.ts';
import { manySamples } from './many-keys.ts';
import { CODEC, FOLDS, openSegment, writeRollUp, writeSegment } from './plain-segments.ts';

const HOURS = { stepSeconds: 3600, first: 7200 };

/** A level of two blocks with the same readings of a counter, one for each key. */
function levelOf(keys: KeyRange['keys'], values: readonly number[]): KeyRange {
  const { count } = keys;
  const twice = Array.from({ length: 2 * count }, (_, row) => row % count);
  const low = Float64Array.from(twice, (i) => values[i % values.length] ?? 0);
  return {
    keys,
    readings: {
      keyCount: count,
      starts: Float64Array.of(7200, 14_400),
      ends: Uint32Array.of(count, 2 * count),
      ordinals: Uint32Array.from(twice),
      columns: [{ values: { low, high: null }, counts: null }],
    },
  };
}

const contentOf = ({ keyCount, total, keys, values }: StoredHead) => ({
  keyCount,
  total: laneValue(total, 0),
  keys: Array.from({ length: keys.count }, (_, i) => Buffer.from(keyAt(keys, i)).toString('hex')),
  values: Array.from({ length: keys.count }, (_, i) => laneValue(values, i)),
});

describe('the heads of a group', () => {
  it.each(SOME_KINDS.map((kinds) => ({ kinds })))(
    'are read as they were written: $kinds',
    ({ kinds }) => {
      const codec = codecOf(kinds);
      fc.assert(
        fc.property(
          fc.uniqueArray(rawKeys(kinds), { minLength: 1, maxLength: 200, size: 'max' }),
          fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }),
          (texts, values) => {
            const keys = listOf(texts.map((text) => codec.encode(text)));
            const level = levelOf(keys, values);
            const source = { level, meterIndex: 0, fold: 'sum', codec } as const;
            const section = writeGroupHeads(source, { from: 0, to: 2 }, HOURS);
            const right = headOf(source, { from: 0, to: keys.count });
            expect(section === null).toBe(right === null);
            if (!section || !right) return;
            const heads = readGroupHeads(section, codec, HOURS);
            expect([...heads.keys()]).toEqual([7200, 14_400]);
            for (const head of heads.values()) expect(contentOf(head)).toEqual(contentOf(right));
            expect(readGroupHead(section, codec, HOURS, 10_800)).toBeNull();
            expect(right.keys.count).toBe(Math.min(HEAD_KEYS, right.keyCount));
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('are not made for meters that are not counters, nor of zeros alone', () => {
    const keys = listOf([Uint8Array.of(1), Uint8Array.of(2)]);
    const codec = codecOf(['protocol']);
    const all = { from: 0, to: 2 };
    for (const fold of ['max', 'min', 'mean', null] as const) {
      const source = { level: levelOf(keys, [1]), meterIndex: 0, fold, codec };
      expect(writeGroupHeads(source, all, HOURS)).toBeNull();
    }
    const source = { level: levelOf(keys, [0]), meterIndex: 0, fold: 'sum', codec } as const;
    expect(writeGroupHeads(source, all, HOURS)).toBeNull();
  });

  it('give damage, and never a number that is none, whatever bytes are changed', () => {
    const codec = codecOf(['ipv4']);
    const keys = listOf(
      Array.from({ length: 300 }, (_, i) => Uint8Array.of(10, 0, i >> 8, i & 255)),
    );
    const source = {
      level: levelOf(keys, [3, 0, 70_000, 5]),
      meterIndex: 0,
      fold: 'sum',
      codec,
    } as const;
    const section = writeGroupHeads(source, { from: 0, to: 2 }, HOURS) ?? new Uint8Array(0);
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
            const heads = [...readGroupHeads(bytes, codec, HOURS).values()];
            const { values } = rankHeads(heads);
            expect(values.low.every((low) => Math.abs(low) > 0)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedSegment);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('of one block, twice or out of order, are damage', () => {
    const codec = codecOf(['ipv4']);
    const keys = listOf([Uint8Array.of(10, 0, 0, 1)]);
    const source = { level: levelOf(keys, [3]), meterIndex: 0, fold: 'sum', codec } as const;
    const one = writeGroupHeads(source, { from: 0, to: 1 }, HOURS) ?? new Uint8Array(0);
    const twice = Uint8Array.of(...one, ...one);
    expect(readGroupHeads(one, codec, HOURS).size).toBe(1);
    expect(() => readGroupHeads(twice, codec, HOURS)).toThrow(DamagedSegment);
    const whole = { stepSeconds: WHOLE_SPAN, first: 7200 };
    expect(readGroupHead(one, codec, whole, 0)?.keyCount).toBe(1);
    twice[one.length] = 1;
    expect(() => readGroupHead(twice, codec, whole, 0)).toThrow(DamagedSegment);
  });
});

describe('ranked heads', () => {
  it('have the largest keys of all ranges, of equal ones the first', () => {
    const codec = codecOf(['ipv4']);
    const heads = [0, 1, 2].flatMap((range) => {
      const keys = listOf(Array.from({ length: 200 }, (_, i) => Uint8Array.of(10, range, 0, i)));
      const level = levelOf(keys, [7, range, 9]);
      return headOf({ level, meterIndex: 0, fold: 'rate', codec }, { from: 0, to: 200 }) ?? [];
    });
    const ranked = rankHeads(heads);
    expect(ranked.keyCount).toBe(133 + 2 * 200);
    expect(ranked.total).toBe(3n * (67n * 7n + 66n * 9n) + 67n * 3n);
    const texts = Array.from(ranked.ends, (_, i) => codec.decode(rankedKeyAt(ranked, i)));
    const nines = Array.from({ length: 66 }, (_, i) => 3 * i + 2);
    const hex = (i: number) => i.toString(16).toUpperCase().padStart(2, '0');
    expect(texts).toEqual([
      ...nines.map((i) => `0A.00.00.${hex(i)}`),
      ...nines.slice(0, HEAD_KEYS - 66).map((i) => `0A.01.00.${hex(i)}`),
    ]);
  });
});

describe('the heads of a roll-up', () => {
  it('are whole where the first source has no keys', async () => {
    const limits = { keys: 4700, rows: 1_000_000 };
    const sources = [
      manySamples({ keys: 400, hours: 2, network: '09' }),
      manySamples({ keys: 9900, hours: 2, network: '0B' }),
    ].map((samples) => writeSegment(samples, limits));
    const { directory, sections } = openSegment(await writeRollUp(sources, limits));
    const starts = directory.ranges.map(({ levels }) => levels[0]?.groups[0]?.firstStart);
    expect(starts).toContain(1);
    for (const range of directory.ranges) {
      const { whole: blocks } = readRollUpRange({ directory, range, sections }, CODEC);
      const [level] = range.levels;
      if (!level) throw new Error('a roll-up has the level of its whole span');
      const check = { directory, sections, level, blocks, codec: CODEC, folds: FOLDS };
      expect([...checkHeads(check)]).toEqual([]);
    }
  });
});
