import { pickRows } from '../codes/column.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { bucketRows, type Readings } from '../readings/readings.ts';
import { keyListPart } from './key-list-parts.ts';

/**
 * Returns the keys with ordinals from `from` to before `to` and their readings as a range of its
 * own.
 */
export function splitRange({ keys, readings }: KeyRange, from: number, to: number): KeyRange {
  if (from === 0 && to === keys.count) return { keys, readings };
  return { keys: keyListPart(keys, from, to), readings: readingsOfKeys(readings, from, to) };
}

function readingsOfKeys(readings: Readings, from: number, to: number): Readings {
  const rows = new Uint32Array(readings.ordinals.length);
  const starts: number[] = [];
  const ends: number[] = [];
  let count = 0;
  for (let bucket = 0; bucket < readings.starts.length; bucket += 1) {
    const before = count;
    const own = bucketRows(readings, bucket);
    for (let row = own.from; row < own.to; row += 1) {
      const ordinal = readings.ordinals[row] as number;
      if (ordinal < from || ordinal >= to) continue;
      rows[count] = row;
      count += 1;
    }
    if (count === before) continue;
    starts.push(readings.starts[bucket] as number);
    ends.push(count);
  }
  const picked = rows.subarray(0, count);
  return {
    keyCount: to - from,
    starts: Float64Array.from(starts),
    ends: Uint32Array.from(ends),
    ordinals: picked.map((row) => (readings.ordinals[row] as number) - from),
    columns: readings.columns.map((column) => column && pickRows(column, picked)),
  };
}
