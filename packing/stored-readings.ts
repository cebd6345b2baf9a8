import { type SamplePlace, type StoredSample, sampleNumbers } from '../db/write/sample-pages.ts';
import { groupBy } from '../domain/group-by.ts';
import type { PackGroup, ReadingColumn, SortedReadings } from './sorted-readings.ts';

type Place = { readonly group: PackGroup; readonly sliceId: number };

/** A page of stored samples as the readings of each probe, in their order. */
export const storedReadings = (place: Place, page: readonly StoredSample[]): SortedReadings[] =>
  [...groupBy(page, probeOf)].map(([probeId, rows]) => ofOneProbe(place, probeId, rows));

const probeOf = ({ place }: StoredSample): number => place[3];

function ofOneProbe(
  { group, sliceId }: Place,
  probeId: number,
  rows: readonly StoredSample[],
): SortedReadings {
  const { folds } = group;
  const rowCount = rows.length;
  const readings = folds.map(() => newColumn(rowCount, Number.NaN));
  // A meter without readings (type 0) may have been given some by hand: nobody ranks them.
  const filled = readings.map((column, slot) => (folds[slot] ? column : null));
  const counts = folds.map((fold) => (fold === 'mean' ? newColumn(rowCount, 1) : null));
  for (let row = 0; row < rowCount; row += 1) {
    const stored = rows[row];
    if (!stored) continue;
    fillRow(filled, row, stored.readings);
    if (stored.counts) fillRow(counts, row, stored.counts);
  }
  const places = (part: 0 | 1 | 2) => rows.map(({ place }: { place: SamplePlace }) => place[part]);
  return {
    ...{ group, probeId, sliceId, rowCount, readings, counts },
    buckets: Float64Array.from(places(0)),
    shards: Uint8Array.from(places(1)),
    keyIds: Uint32Array.from(places(2)),
  };
}

type Column = ReadingColumn & { readonly large: Map<number, bigint> };

const newColumn = (length: number, nothing: number): Column => ({
  numbers: new Float64Array(length).fill(nothing),
  large: new Map(),
});

function fillRow(columns: readonly (Column | null)[], row: number, array: Buffer): void {
  sampleNumbers(array, (slot, value) => {
    const column = columns[slot];
    if (!column) return;
    if (typeof value === 'number') column.numbers[row] = value;
    else {
      column.numbers[row] = value < 0n ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      column.large.set(row, value);
    }
  });
}
