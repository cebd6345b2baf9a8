import { DamagedSegment } from '../damaged-segment.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { readFrames, writeFrames } from './frames.ts';

/*
 * Ascending ordinals below a bound that the reader knows, in one of three forms: all ordinals; a
 * bitmap if at least one in four is present; or the steps from each to the next, in frames.
 */

const ALL = 0;
const BITMAP = 1;
const STEPS = 2;

/** Below one in four, steps take fewer bits than a bitmap. */
const BITMAP_SPAN = 4;

export function writeOrdinals(out: ByteWriter, ordinals: Uint32Array, bound: number): void {
  const count = ordinals.length;
  if (count === bound) out.byte(ALL);
  else if (count * BITMAP_SPAN >= bound) writeBitmap(out, ordinals, bound);
  else {
    out.byte(STEPS);
    const steps = new Uint32Array(count);
    let before = -1;
    for (let i = 0; i < count; i += 1) {
      steps[i] = (ordinals[i] as number) - before - 1;
      before = ordinals[i] as number;
    }
    writeFrames(out, steps);
  }
}

function writeBitmap(out: ByteWriter, ordinals: Uint32Array, bound: number): void {
  const bits = new Uint8Array(Math.ceil(bound / 8));
  for (const ordinal of ordinals) {
    bits[ordinal >> 3] = (bits[ordinal >> 3] as number) | (1 << (ordinal & 7));
  }
  out.byte(BITMAP);
  out.append(bits);
}

/** The ordinals of a range: they are below `bound`, and `first` is added to each. */
type OrdinalRange = { readonly bound: number; readonly first: number };

/** Fills an array with the ordinals of a range. Errors: DamagedSegment. */
export function readOrdinals(reader: ByteReader, into: Uint32Array, range: OrdinalRange): void {
  const count = into.length;
  if (count > range.bound) throw new DamagedSegment(`${count} of ${range.bound} keys in a block`);
  const form = reader.byte();
  if (form === ALL) readAll(into, range);
  else if (form === BITMAP) readBitmap(reader, into, range);
  else if (form === STEPS) readSteps(reader, into, range);
  else throw new DamagedSegment(`ordinals are written in the unknown form ${form}`);
}

function readAll(into: Uint32Array, { bound, first }: OrdinalRange): void {
  if (into.length !== bound) throw new DamagedSegment('not all keys are in a block of all');
  for (let i = 0; i < bound; i += 1) into[i] = first + i;
}

function readBitmap(reader: ByteReader, into: Uint32Array, { bound, first }: OrdinalRange): void {
  const { at } = reader;
  reader.skip(Math.ceil(bound / 8));
  const bytes = reader.bytes.subarray(at, reader.at);
  const beyond = (bound & 7) === 0 ? 0 : (bytes.at(-1) as number) >> (bound & 7);
  let { length, count } = readMostOfBitmap(bytes, into, first);
  for (; length < bytes.length; length += 1) {
    const lowest = first + length * 8;
    for (let bits = bytes[length] as number; bits !== 0; bits &= bits - 1) {
      if (count === into.length) throw wrongCount();
      into[count] = lowest + 31 - Math.clz32(bits & -bits);
      count += 1;
    }
  }
  if (count !== into.length || beyond !== 0) throw wrongCount();
}

/**
 * Reads a bitmap while there is room for all ordinals of a byte. A processor predicts badly whether
 * a bit is set, so they are all written, and the next one overwrites that of a bit that is not set.
 * Returns how many bytes were read, and how many of their bits are set.
 */
function readMostOfBitmap(bytes: Uint8Array, into: Uint32Array, first: number) {
  let count = 0;
  let lowest = first;
  let length = 0;
  for (; length < bytes.length && count + 8 <= into.length; length += 1) {
    const bits = bytes[length] as number;
    into[count] = lowest;
    count += bits & 1;
    into[count] = lowest + 1;
    count += (bits >> 1) & 1;
    into[count] = lowest + 2;
    count += (bits >> 2) & 1;
    into[count] = lowest + 3;
    count += (bits >> 3) & 1;
    into[count] = lowest + 4;
    count += (bits >> 4) & 1;
    into[count] = lowest + 5;
    count += (bits >> 5) & 1;
    into[count] = lowest + 6;
    count += (bits >> 6) & 1;
    into[count] = lowest + 7;
    count += bits >> 7;
    lowest += 8;
  }
  return { length, count };
}

const wrongCount = () => new DamagedSegment('a bitmap of keys has more or fewer bits than keys');

function readSteps(reader: ByteReader, into: Uint32Array, { bound, first }: OrdinalRange): void {
  const steps = new Float64Array(into.length);
  readFrames(reader, into.length, steps);
  let before = -1;
  for (let i = 0; i < into.length; i += 1) {
    before += (steps[i] as number) + 1;
    if (before >= bound) throw new DamagedSegment(`a block has key ${before} of ${bound}`);
    into[i] = first + before;
  }
}
