import { LIMITS } from '../../domain/limits.ts';
import type { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { readFrames, writeFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from './key-codec.ts';
import { type KeyList, keyStart } from './key-list.ts';
import type { KeyListBuilder } from './key-list-builder.ts';

/*
 * Keys that contain text, front-coded: each key is stored as the number of leading bytes that it
 * shares with the previous key, and the bytes that follow.
 *
 *     section   frames of shared lengths, frames of suffix lengths, then all suffixes
 */

/** Writes the keys with ordinals from `from` to before `to`. */
export function writeFrontCoded(out: ByteWriter, keys: KeyList, from: number, to: number): void {
  const shared = new Uint16Array(to - from);
  const suffixes = new Uint16Array(to - from);
  for (let i = from; i < to; i += 1) {
    const length = (keys.ends[i] as number) - keyStart(keys, i);
    const same = i === from ? 0 : sharedLength(keys, i);
    shared[i - from] = same;
    suffixes[i - from] = length - same;
  }
  writeFrames(out, shared);
  writeFrames(out, suffixes);
  for (let i = from; i < to; i += 1) {
    const end = keys.ends[i] as number;
    out.append(keys.bytes.subarray(end - (suffixes[i - from] as number), end));
  }
}

/** Returns the number of leading bytes that key i shares with the previous key. */
function sharedLength(keys: KeyList, i: number): number {
  const { bytes } = keys;
  const before = keyStart(keys, i - 1);
  const start = keyStart(keys, i);
  const max = Math.min(start - before, (keys.ends[i] as number) - start);
  let same = 0;
  while (same < max && bytes[before + same] === bytes[start + same]) same += 1;
  return same;
}

/** Reads `count` keys. Errors: DamagedSegment. */
export function readFrontCoded(
  reader: ByteReader,
  count: number,
  into: KeyListBuilder,
  codec: KeyCodec,
): void {
  const shared = new Float64Array(count);
  const suffixes = new Float64Array(count);
  readFrames(reader, count, shared);
  readFrames(reader, count, suffixes);
  into.reserve({ keys: count, bytes: keyBytes(shared, suffixes) });
  const { bytes, ends } = into;
  let before = into.length;
  let start = into.length;
  for (let i = 0; i < count; i += 1) {
    const same = shared[i] as number;
    const suffix = suffixes[i] as number;
    const at = reader.at;
    reader.skip(suffix);
    if (same > start - before) throw new DamagedSegment('a key shares more than there is');
    const isLonger = before + same === start;
    // The first byte that is not shared decides the order.
    if (suffix === 0 || !(isLonger || isAbove(reader.bytes, at, bytes, before + same))) {
      throw new DamagedSegment('the keys of a section do not ascend');
    }
    for (let k = 0; k < same; k += 1) bytes[start + k] = bytes[before + k] as number;
    bytes.set(reader.bytes.subarray(at, at + suffix), start + same);
    const end = start + same + suffix;
    codec.check(bytes, start, end);
    ends[into.count + i] = end;
    before = start;
    start = end;
  }
  into.length = start;
  into.count += count;
}

const isAbove = (left: Uint8Array, at: number, right: Uint8Array, other: number): boolean =>
  (left[at] as number) > (right[other] as number);

/**
 * Returns the total bytes of all keys. Each key must be within the limit, so that memory is
 * allocated for no others.
 */
function keyBytes(shared: Float64Array, suffixes: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < shared.length; i += 1) {
    const length = (shared[i] as number) + (suffixes[i] as number);
    if (length > LIMITS.crossKeyBytes) throw new DamagedSegment('a key is too long');
    sum += length;
  }
  return sum;
}
