import type { KeyCodec } from '../keys/key-codec.ts';
import type { KeyList } from '../keys/key-list.ts';
import { splitRange } from '../merge/split-range.ts';
import { EVER, type RangeSource, readBlocks, readKeys } from '../pages/read-range.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { coarserReadings, type Readings } from '../readings/readings.ts';
import { readSource } from '../roll-up/read-source.ts';
import type { SegmentShape } from '../shape.ts';
import { WHOLE_SPAN } from '../span.ts';
import { areSameReadings } from './same-readings.ts';

/** A range of a roll-up: the keys of each source, and the combined readings of each key. */
export type RollUpRange = { readonly members: KeyRange; readonly whole: KeyRange };

/** Reads a range of a roll-up. Errors: DamagedSegment. */
export function readRollUpRange(source: RangeSource, codec: KeyCodec): RollUpRange {
  const finest = source.range.levels.at(-1);
  const keys = readKeys(source.range, codec, source.sections);
  const readings: Readings = finest
    ? readBlocks(source, finest, { ...EVER, meterIndexes: [] })
    : NO_READINGS;
  return {
    members: { keys, readings: { ...readings, columns: [] } },
    whole: readSource(source, codec, 0),
  };
}

const NO_READINGS: Readings = {
  keyCount: 0,
  starts: new Float64Array(0),
  ends: new Uint32Array(0),
  ordinals: new Uint32Array(0),
  columns: [],
};

/**
 * Compares some keys of a roll-up with the same number of keys of its sources. Yields each
 * difference in words.
 */
export function* compareWithSources(
  { members, whole }: RollUpRange,
  { keys, readings }: KeyRange,
  { folds }: Pick<SegmentShape, 'folds'>,
): Generator<string> {
  if (!areSameKeys(members.keys, keys)) {
    yield 'its keys are not those of its sources';
    return;
  }
  if (!areSameReadings(members.readings, { ...readings, columns: [] })) {
    yield 'it says of a source that it has other keys than it has';
  }
  const sums = coarserReadings(readings, WHOLE_SPAN, folds);
  // The start of the whole span comes from the first source, whatever keys it has, so it is not
  // compared.
  const starts = Float64Array.of(0);
  if (!areSameReadings({ ...sums, starts }, { ...whole.readings, starts })) {
    yield 'its sums are not what its sources add up to';
  }
}

function areSameKeys(a: KeyList, b: KeyList): boolean {
  if (a.count !== b.count) return false;
  for (let i = 0; i < a.count; i += 1) if (a.ends[i] !== b.ends[i]) return false;
  const end = a.ends[a.count - 1] ?? 0;
  return Buffer.compare(a.bytes.subarray(0, end), b.bytes.subarray(0, end)) === 0;
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
