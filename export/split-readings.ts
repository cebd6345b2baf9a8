import { isoTime } from '../domain/time/iso-time.ts';
import type { ExportedMeter, Integer, ReadingRow } from './reading-source.ts';

/** The contents of one line: values by meter id, and the number of readings behind each mean. */
export type LineReadings = {
  readonly values: readonly LineValue[];
  readonly count: Integer;
};

export type LineValue = {
  readonly meterId: number;
  readonly value: Integer;
  readonly isMean: boolean;
};

/** The largest reading that a line can hold; its negative is the smallest (decision 8). */
const MAX_READING = 2n ** 63n - 1n;

/**
 * Returns the lines that together represent a row, nearly always one. A line has a single count, so
 * means with different counts go on separate lines. A sum or count beyond 2^63−1 is split over
 * several lines. Errors: the sum of a mean is larger than its count of readings can produce.
 */
export function splitReadings(meters: readonly ExportedMeter[], row: ReadingRow): LineReadings[] {
  if (isOneLine(row)) return [wholeLine(meters, row)];
  return placePieces(piecesOf(meters, row)).map(({ values, count }) => ({
    values: meters.flatMap(({ id }) => {
      const piece = values.get(id);
      return piece ? [{ meterId: id, value: piece.value, isMean: piece.count !== null }] : [];
    }),
    count: count ?? 1,
  }));
}

function isOneLine({ readings, counts }: ReadingRow): boolean {
  const given = counts.filter((count) => count !== null);
  return (
    readings.every((reading) => typeof reading !== 'bigint') &&
    given.every((count) => typeof count === 'number' && count === given[0])
  );
}

function wholeLine(
  meters: readonly ExportedMeter[],
  { readings, counts }: ReadingRow,
): LineReadings {
  const values = meters.flatMap(({ id, meterIndex, aggregate }): LineValue[] => {
    const value = readings[meterIndex] ?? null;
    return value === null ? [] : [{ meterId: id, value, isMean: aggregate === 'mean' }];
  });
  return { values, count: counts.find((count) => count !== null) ?? 1 };
}

/** A value that fits on one line. count is null if the meter is not a mean. */
type Piece = { readonly meterId: number; readonly value: bigint; readonly count: bigint | null };

function piecesOf(
  meters: readonly ExportedMeter[],
  { key, bucket, readings, counts }: ReadingRow,
): Piece[] {
  return meters.flatMap(({ id, meterIndex }): Piece[] => {
    const reading = readings[meterIndex] ?? null;
    if (reading === null) return [];
    const count = counts[meterIndex] ?? null;
    const sum = BigInt(reading);
    const ofMean = count === null ? null : BigInt(count);
    const needed = partsNeeded(sum, ofMean);
    if (ofMean !== null && ofMean < needed) {
      throw new Error(
        `key ${key} at ${isoTime(bucket)}, meter ${id}: ${sum} must be the sum of at least ` +
          `${needed} readings, got a count of ${ofMean}`,
      );
    }
    const parts = partsOf(sum, ofMean, needed);
    return parts.map((part) => ({ meterId: id, ...part }));
  });
}

/** Returns the number of lines needed to hold a sum and its count. */
function partsNeeded(sum: bigint, count: bigint | null): bigint {
  const linesFor = (value: bigint): bigint => (magnitude(value) + MAX_READING - 1n) / MAX_READING;
  return [1n, linesFor(sum), linesFor(count ?? 1n)].reduce((a, b) => (a > b ? a : b));
}

/**
 * Splits a sum into `needed` parts, each within the bounds of a line and with a count of at least
 * 1.
 */
function partsOf(sum: bigint, count: bigint | null, needed: bigint): Omit<Piece, 'meterId'>[] {
  const parts: Omit<Piece, 'meterId'>[] = [];
  let restSum = sum;
  let restCount = count;
  for (let left = needed; left > 0n; left -= 1n) {
    const value = left === 1n ? restSum : clamp(restSum);
    // Leave one reading for each of the parts that follow.
    const own = restCount === null ? null : least(MAX_READING, restCount - (left - 1n));
    parts.push({ value, count: own });
    restSum -= value;
    if (restCount !== null && own !== null) restCount -= own;
  }
  return parts;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const clamp = (value: bigint): bigint =>
  value < 0n ? -least(-value, MAX_READING) : least(value, MAX_READING);

type OpenLine = { readonly values: Map<number, Piece>; count: bigint | null };

/**
 * Puts each piece on the first line that has no value for its meter and no different count. Means
 * are placed first because all other pieces fit on any line.
 */
function placePieces(pieces: readonly Piece[]): OpenLine[] {
  const lines: OpenLine[] = [];
  const means = pieces.filter(({ count }) => count !== null);
  const others = pieces.filter(({ count }) => count === null);
  for (const piece of [...means, ...others]) {
    const free = lines.find(
      ({ values, count }) => !values.has(piece.meterId) && fits(piece, count),
    );
    const line = free ?? { values: new Map(), count: null };
    if (!free) lines.push(line);
    line.values.set(piece.meterId, piece);
    line.count ??= piece.count;
  }
  return lines;
}

const fits = (piece: Piece, count: bigint | null): boolean =>
  piece.count === null || count === null || piece.count === count;
