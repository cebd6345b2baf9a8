import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregateOf } from '../../domain/toppers/meter-type.ts';
import type { ExportedMeter, Integer, ReadingRow } from '../../export/reading-source.ts';
import { type LineReadings, splitReadings } from '../../export/split-readings.ts';
import { T0 } from '../support/lab/lab.ts';

/** The largest reading and the largest count of a line. */
const MOST = 2n ** 63n - 1n;

/** A meter of each type, with the type as its id; slots are in the reverse order of ids. */
const METERS: readonly ExportedMeter[] = Array.from({ length: 13 }, (_, type) => ({
  id: type,
  meterIndex: 12 - type,
  aggregate: aggregateOf(type),
}));

type Row = {
  readonly readings: readonly (Integer | null)[];
  readonly counts: readonly (Integer | null)[];
};

const rowOf = (row: Row): ReadingRow => ({ key: 'a', bucket: T0, texts: null, ...row });

const exact = (value: bigint): Integer =>
  value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;

/** Up to three times what a line can hold, and often just at the bound. */
const amount = fc.oneof(
  fc.bigInt(0n, 1000n),
  fc.bigInt(0n, 3n * MOST),
  fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, MOST - 1n, MOST, MOST + 1n, 2n * MOST, 2n * MOST + 1n),
);

const needed = (value: bigint): bigint => (value + MOST - 1n) / MOST;

/** A possible reading: the sum of a mean is at most its count times the largest reading. */
function readingOf({ aggregate }: ExportedMeter): fc.Arbitrary<[Integer | null, Integer | null]> {
  if (aggregate === null) return fc.constant([null, null]);
  const given = fc.tuple(amount, fc.boolean(), fc.oneof(fc.constantFrom(1n, 2n), amount));
  const reading = given.map(([size, isNegative, count]): [Integer, Integer | null] => {
    if (aggregate === 'sum' || aggregate === 'rate') return [exact(size), null];
    const signed = (value: bigint) => exact(isNegative ? -value : value);
    if (aggregate !== 'mean') return [signed(size > MOST ? MOST : size), null];
    const least = [1n, needed(size), count].reduce((a, b) => (a > b ? a : b));
    return [signed(size), exact(least)];
  });
  return fc.oneof(reading, fc.constant<[null, null]>([null, null]));
}

const row: fc.Arbitrary<Row> = fc
  .tuple(...METERS.toReversed().map(readingOf))
  .filter((slots) => slots.some(([reading]) => reading !== null))
  .map((slots) => ({
    readings: slots.map(([reading]) => reading),
    counts: slots.map(([, count]) => count),
  }));

const valueOn = (line: LineReadings, meter: number): bigint | null => {
  const found = line.values.find(({ meterId }) => meterId === meter);
  return found ? BigInt(found.value) : null;
};

const sumOf = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n);

describe('the lines of a row', () => {
  it('add up to the row, each within what a line can hold', () => {
    fc.assert(
      fc.property(row, (given) => {
        const lines = splitReadings(METERS, rowOf(given));
        for (const { values, count } of lines) {
          expect(values.length).toBeGreaterThan(0);
          expect(new Set(values.map(({ meterId }) => meterId)).size).toBe(values.length);
          expect(BigInt(count) >= 1n && BigInt(count) <= MOST).toBe(true);
          for (const { value } of values) {
            expect(BigInt(value) <= MOST && BigInt(value) >= -MOST).toBe(true);
          }
        }
        for (const { id, meterIndex, aggregate } of METERS) {
          const reading = given.readings[meterIndex] ?? null;
          const own = lines.filter((line) => valueOn(line, id) !== null);
          if (reading === null) {
            expect(own).toEqual([]);
            continue;
          }
          expect(own.length).toBeGreaterThan(0);
          expect(sumOf(own.map((line) => valueOn(line, id) ?? 0n))).toBe(BigInt(reading));
          if (aggregate !== 'mean') continue;
          const count = given.counts[meterIndex] ?? 0;
          expect(sumOf(own.map((line) => BigInt(line.count)))).toBe(BigInt(count));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('have an extreme on one line, and no negative part of a counter', () => {
    fc.assert(
      fc.property(row, (given) => {
        const lines = splitReadings(METERS, rowOf(given));
        for (const { id, aggregate } of METERS) {
          const values = lines.flatMap((line) => valueOn(line, id) ?? []);
          if (aggregate === 'max' || aggregate === 'min') expect(values.length).toBeLessThan(2);
          if (aggregate === 'sum' || aggregate === 'rate')
            expect(values.filter((v) => v < 0n)).toEqual([]);
        }
      }),
    );
  });

  it('are as many as there are distinct counts, if everything fits', () => {
    const small = row.filter(({ readings, counts }) =>
      [...readings, ...counts].every((value) => value === null || needed(absolute(value)) <= 1n),
    );
    fc.assert(
      fc.property(small, (given) => {
        const counts = new Set(
          given.counts.flatMap((count) => (count === null ? [] : [`${count}`])),
        );
        expect(splitReadings(METERS, rowOf(given))).toHaveLength(Math.max(1, counts.size));
      }),
    );
  });

  const absolute = (value: Integer): bigint => (value < 0 ? -BigInt(value) : BigInt(value));

  it.each<[string, Partial<Record<number, [Integer, Integer | null]>>, string[]]>([
    ['are one for counters', { 2: [5, null], 3: [0, null] }, ['1: 2=5 3=0']],
    [
      'are one for means with the same count',
      { 5: [9, 3], 6: [-1, 3], 2: [7, null] },
      ['3: 2=7 5=9 6=-1'],
    ],
    [
      'are two for means with different counts',
      { 5: [9, 3], 6: [1, 2], 2: [7, null] },
      ['3: 2=7 5=9', '2: 6=1'],
    ],
    [
      'have other values beside the rest of a sum that is too large for one line',
      { 2: [2n ** 63n, null], 5: [1, 4], 6: [2, 1] },
      [`4: 2=${MOST} 5=1`, '1: 2=1 6=2'],
    ],
    [
      'have parts of the count if the sum of a mean is too large for one line',
      { 5: [-(2n ** 64n), 7] },
      [`5: 5=${-MOST}`, `1: 5=${-MOST}`, '1: 5=-2'],
    ],
  ])('%s', (_, values, expected) => {
    const place = (part: 0 | 1) =>
      METERS.toReversed().map(({ id }): Integer | null => values[id]?.[part] ?? null);
    const lines = splitReadings(METERS, rowOf({ readings: place(0), counts: place(1) }));
    expect(
      lines.map(
        (line) =>
          `${line.count}: ${line.values.map(({ meterId, value }) => `${meterId}=${value}`).join(' ')}`,
      ),
    ).toEqual(expected);
  });

  it('are refused if the sum of a mean is too large for its number of readings', () => {
    const readings = METERS.map(({ meterIndex }) =>
      meterIndex === 7 ? 2n ** 63n : null,
    ).toReversed();
    const counts = METERS.map(({ meterIndex }) => (meterIndex === 7 ? 1 : null)).toReversed();
    expect(() => splitReadings(METERS, rowOf({ readings, counts }))).toThrow(
      'key a at 2024-07-15T00:00:00Z, meter 5: 9223372036854775808 must be the sum of at least 2 ' +
        'readings, got a count of 1',
    );
  });
});
