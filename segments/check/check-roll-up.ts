import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { splitRange } from '../merge/split-range.ts';
import { type RangeSource, readKeys } from '../pages/read-range.ts';
import { readSource } from '../pages/read-source.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { coarserReadings, type Readings, WHOLE_SPAN } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { readTileKeys } from '../tiles/tile.ts';
import { areSameKeys } from './check-heads.ts';
import { areSameReadings } from './same-readings.ts';

/** A range of a roll-up: the sources that have each key, and the combined readings of each key. */
export type RollUpRange = { readonly members: KeyRange; readonly whole: KeyRange };

/** Reads a range of a roll-up. Errors: DamagedSegment. */
export function readRollUpRange(source: RangeSource, codec: KeyCodec): RollUpRange {
  const { range, sections } = source;
  const keys = readKeys(range, codec, sections);
  const tiles = range.tiles.map(({ start, keys: location }) => {
    if (location === null) throw new DamagedSegment('a source of a roll-up has no keys');
    return { start, ordinals: readTileKeys(sections(location), range.keyCount) };
  });
  const readings = membersOf(tiles, range.keyCount);
  return { members: { keys, readings }, whole: readSource(source, codec, 0) };
}

type SourceKeys = { readonly start: number; readonly ordinals: Uint32Array };

/** Returns a row for each key and source that has it, without readings. */
function membersOf(tiles: readonly SourceKeys[], keyCount: number): Readings {
  const ends = new Uint32Array(keyCount);
  for (const { ordinals } of tiles) {
    for (const ordinal of ordinals) ends[ordinal] = (ends[ordinal] as number) + 1;
  }
  for (let key = 1; key < keyCount; key += 1) {
    ends[key] = (ends[key] as number) + (ends[key - 1] as number);
  }
  const next = new Uint32Array(keyCount);
  next.set(ends.subarray(0, keyCount - 1), 1);
  const starts = new Float64Array(ends[keyCount - 1] ?? 0);
  for (const { start, ordinals } of tiles) {
    for (const ordinal of ordinals) {
      starts[next[ordinal] as number] = start;
      next[ordinal] = (next[ordinal] as number) + 1;
    }
  }
  return { keyCount, ends, starts, columns: [] };
}

/**
 * Compares some keys of a roll-up with the same number of keys of its sources. Yields each
 * difference in words.
 */
export function* compareWithSources(
  { members, whole }: RollUpRange,
  { keys, readings }: KeyRange,
  { aggregates }: Pick<SegmentShape, 'aggregates'>,
): Generator<string> {
  if (!areSameKeys(members.keys, keys)) {
    yield 'its keys are not those of its sources';
    return;
  }
  if (!areSameReadings(members.readings, { ...readings, columns: [] })) {
    yield 'it says of a source that it has other keys than it has';
  }
  const sums = coarserReadings(readings, WHOLE_SPAN, aggregates);
  // The start of a sum is that of the key's first source, which the roll-up does not repeat.
  const { starts } = whole.readings;
  if (!areSameReadings({ ...sums, starts }, whole.readings)) {
    yield 'its sums are not what its sources add up to';
  }
}

/** Splits a range into its first `at` keys and the rest. */
export const cutRollUp = (
  { members, whole }: RollUpRange,
  at: number,
): [RollUpRange, RollUpRange] => {
  const { count } = members.keys;
  return [
    { members: splitRange(members, 0, at), whole: splitRange(whole, 0, at) },
    { members: splitRange(members, at, count), whole: splitRange(whole, at, count) },
  ];
};
