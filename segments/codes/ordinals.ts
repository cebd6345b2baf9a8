import { DamagedSegment } from '../damaged-segment.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { readFrames, writeFrames } from './frames.ts';

/*
 * Ascending ordinals below a bound that the reader knows: all of them; or a bitmap where at least
 * one in four is there; or the steps from each to the next, in frames.
 */

const ALL = 0;
const BITMAP = 1;
const STEPS = 2;

/** Below one in four, steps take less than the bits of a map. */
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

/** Reads `count` ordinals below `bound`. Errors: DamagedSegment. */
export function readOrdinals(reader: ByteReader, count: number, bound: number): Uint32Array {
  if (count > bound) throw new DamagedSegment(`${count} of ${bound} keys in a block`);
  const form = reader.byte();
  const ordinals = new Uint32Array(count);
  if (form === ALL) readAll(ordinals, bound);
  else if (form === BITMAP) readBitmap(reader, ordinals, bound);
  else if (form === STEPS) readSteps(reader, ordinals, bound);
  else throw new DamagedSegment(`ordinals are written in the unknown form ${form}`);
  return ordinals;
}

function readAll(ordinals: Uint32Array, bound: number): void {
  if (ordinals.length !== bound) throw new DamagedSegment('not all keys are in a block of all');
  for (let i = 0; i < bound; i += 1) ordinals[i] = i;
}

function readBitmap(reader: ByteReader, ordinals: Uint32Array, bound: number): void {
  const { bytes, at } = reader;
  reader.skip(Math.ceil(bound / 8));
  let count = 0;
  for (let i = at; i < reader.at; i += 1) {
    const first = (i - at) * 8;
    for (let bits = bytes[i] as number; bits !== 0; bits &= bits - 1) {
      const ordinal = first + 31 - Math.clz32(bits & -bits);
      if (count === ordinals.length || ordinal >= bound) throw wrongCount();
      ordinals[count] = ordinal;
      count += 1;
    }
  }
  if (count !== ordinals.length) throw wrongCount();
}

const wrongCount = () => new DamagedSegment('a bitmap of keys has more or fewer bits than keys');

function readSteps(reader: ByteReader, ordinals: Uint32Array, bound: number): void {
  const steps = new Float64Array(ordinals.length);
  readFrames(reader, ordinals.length, steps);
  let before = -1;
  for (let i = 0; i < ordinals.length; i += 1) {
    before += (steps[i] as number) + 1;
    if (before >= bound) throw new DamagedSegment(`a block has key ${before} of ${bound}`);
    ordinals[i] = before;
  }
}
