import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { EVER, type RangeSource, readBlocks, readKeys } from '../pages/read-range.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { SOURCE_STEP } from './roll-up-shape.ts';

/**
 * Reads the combined readings of a range over the whole span, as bucket `number` of a roll-up.
 * Errors: DamagedSegment.
 */
export function readSource(source: RangeSource, codec: KeyCodec, number: number): KeyRange {
  const { directory, range, sections } = source;
  // The coarsest level, which is the only level of a segment with one bucket.
  const [whole] = range.levels;
  if (!whole) throw new DamagedSegment('a range has no blocks');
  const meterIndexes = Array.from({ length: directory.slots }, (_, meterIndex) => meterIndex);
  const readings = readBlocks(source, whole, { ...EVER, meterIndexes });
  if (readings.starts.length !== 1) throw new DamagedSegment('a whole span has one block');
  const starts = Float64Array.of(number * SOURCE_STEP);
  return { keys: readKeys(range, codec, sections), readings: { ...readings, starts } };
}
