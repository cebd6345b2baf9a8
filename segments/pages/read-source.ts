import type { KeyCodec } from '../keys/key-codec.ts';
import { type RangeSource, readKeys, readSpan } from '../pages/read-range.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { SOURCE_STEP } from '../roll-up-shape.ts';

/**
 * Reads the combined readings of a range over the whole span, as bucket `number` of a roll-up.
 * Errors: DamagedSegment.
 */
export function readSource(
  { range, sections }: Omit<RangeSource, 'directory'>,
  codec: KeyCodec,
  number: number,
): KeyRange {
  const keys = readKeys(range, codec, sections);
  const columns = readSpan({ range, sections });
  const ends = Uint32Array.from({ length: keys.count }, (_, key) => key + 1);
  const starts = new Float64Array(keys.count).fill(number * SOURCE_STEP);
  return { keys, readings: { keyCount: keys.count, ends, starts, columns } };
}
