import { columnPart } from '../codes/column.ts';
import type { KeyRange } from '../readings/key-range.ts';
import type { Readings } from '../readings/readings.ts';
import { keyListPart } from './key-list-parts.ts';

/**
 * Returns the keys with ordinals from `from` to before `to` and their readings as a range of its
 * own. Readings share memory.
 */
export function splitRange({ keys, readings }: KeyRange, from: number, to: number): KeyRange {
  if (from === 0 && to === keys.count) return { keys, readings };
  return { keys: keyListPart(keys, from, to), readings: readingsOfKeys(readings, from, to) };
}

function readingsOfKeys({ ends, starts, columns }: Readings, from: number, to: number): Readings {
  const first = from === 0 ? 0 : (ends[from - 1] as number);
  const end = to === 0 ? 0 : (ends[to - 1] as number);
  const own = ends.slice(from, to);
  for (let key = 0; key < own.length; key += 1) own[key] = (own[key] as number) - first;
  return {
    keyCount: to - from,
    ends: own,
    starts: starts.subarray(first, end),
    columns: columns.map((column) => column && columnPart(column, first, end)),
  };
}
