import { DamagedSegment } from '../damaged-segment.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/*
 * Whole numbers from 0 to 2^53−1 in frames of 128, each with its own bit width (PFOR, "patched
 * frame of reference": Zukowski et al., Super-Scalar RAM-CPU Cache Compression, 2006).
 *
 * Traffic is skewed: of 128 neighbouring values, most are small and a few are huge. A frame stores
 * the low `width` bits of every number side by side, and the few numbers that need more bits as
 * exceptions: the position and the upper bits. The width is chosen by the exact size of the result,
 * so no other width would make the frame smaller. Unpacking has no branch per number, so it is
 * several times faster than a variable-length code.
 *
 *     a frame   width (0 … 32) | 64 if there are exceptions
 *               count × width bits, the lowest bit of the first byte first
 *               exceptions: their number − 1, then for each its position and LEB128(value >> width)
 */

/** Numbers per frame. */
export const FRAME = 128;

const MAX_WIDTH = 32;
const HAS_EXCEPTIONS = 64;

/** The largest width for which one unaligned read of four bytes always contains the number. */
const ONE_READ = 25;

export type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** Writes the numbers from index `from` to before `to`. */
export function writeFrames(
  out: ByteWriter,
  numbers: Numbers,
  from = 0,
  to = numbers.length,
): void {
  for (let at = from; at < to; at += FRAME) writeFrame(out, numbers, at, Math.min(at + FRAME, to));
}

/** More bits than any number has, and the number of bits in each byte of an exception. */
const TOO_MANY_BITS = 54;
const EXCEPTION_BITS = 7;

/**
 * By number of bits: how many numbers of the frame need exactly that many. The sizes for all widths
 * follow from this.
 */
const byBits = new Uint32Array(TOO_MANY_BITS);

/** The numbers of the frame being written, and how many bits each needs. */
export const frameNumbers = new Float64Array(FRAME);
export const frameBits = new Uint8Array(FRAME);

/** The low 32 bits of each of these numbers. */
const frameWords = new Uint32Array(FRAME);

/** By width: the bytes that the upper bits of all exceptions would take. */
const upperBytes = new Uint32Array(TOO_MANY_BITS + EXCEPTION_BITS);

function writeFrame(out: ByteWriter, numbers: Numbers, from: number, to: number): void {
  writeMeasured(out, to - from, measureFrame(numbers, from, to));
}

/** How a frame takes the fewest bytes, and how many besides its first byte. */
export type FrameWidth = {
  readonly width: number;
  readonly exceptions: number;
  readonly size: number;
};

/** Measures a frame. The next frame that is written must be this one. */
export const measureFrame = (numbers: Numbers, from: number, to: number): FrameWidth =>
  bestWidth(measure(numbers, from, to), to - from);

/** Writes the frame that was measured last. */
export function writeMeasured(out: ByteWriter, count: number, measured: FrameWidth): void {
  const { width, exceptions } = measured;
  out.byte(width | (exceptions > 0 ? HAS_EXCEPTIONS : 0));
  if (width > 0) {
    frameWidths.fill(width, 0, count);
    writeFrameBits(out, count);
  }
  if (exceptions === 0) return;
  out.byte(exceptions - 1);
  const scale = 2 ** width;
  for (let i = 0; i < count; i += 1) {
    const value = frameNumbers[i] as number;
    if (value < scale) continue;
    out.byte(i);
    out.varint(Math.floor(value / scale));
  }
}

/** Returns the number of bits of a whole number from 0 to 2^53−1. */
export function bitsOf(value: number): number {
  const word = value >>> 0;
  return word === value ? 32 - Math.clz32(word) : 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/** Fills `byBits` and the arrays of the frame being written. Returns the largest number of bits that any number needs. */
function measure(numbers: Numbers, from: number, to: number): number {
  byBits.fill(0);
  let max = 0;
  for (let at = from; at < to; at += 1) {
    const value = numbers[at] as number;
    const bits = bitsOf(value);
    frameNumbers[at - from] = value;
    frameBits[at - from] = bits;
    frameWords[at - from] = value >>> 0;
    byBits[bits] = (byBits[bits] as number) + 1;
    if (bits > max) max = bits;
  }
  return max;
}

/**
 * Returns the width with which a frame of `count` numbers takes the fewest bytes, from the results
 * of `measure`. It goes from the widest down so that the size of the exceptions adds up: each
 * exception takes one byte more than with a width that is larger by seven.
 */
function bestWidth(maxBits: number, count: number): FrameWidth {
  let best: FrameWidth = { width: 0, exceptions: 0, size: 0 };
  let min = Number.POSITIVE_INFINITY;
  let exceptions = 0;
  upperBytes.fill(0, maxBits, maxBits + EXCEPTION_BITS);
  for (let width = maxBits; width >= 0; width -= 1) {
    if (width < maxBits) {
      exceptions += byBits[width + 1] as number;
      upperBytes[width] = exceptions + (upperBytes[width + EXCEPTION_BITS] as number);
    }
    if (width > MAX_WIDTH) continue;
    // The number of exceptions, and the position of each.
    const fixed = exceptions === 0 ? 0 : 1 + exceptions;
    if (fixed >= min) break;
    const size = ((count * width + 7) >>> 3) + fixed + (upperBytes[width] as number);
    if (size >= min) continue;
    min = size;
    best = { width, exceptions, size };
  }
  return best;
}

/** How many bits of each number of the frame are written. */
export const frameWidths = new Uint8Array(FRAME);

/**
 * Writes the low bits of each number of a frame, as many as `frameWidths` says. It works in halves
 * of 16 bits because shifts are limited to 32 bits.
 */
export function writeFrameBits(out: ByteWriter, count: number): void {
  const bytes = out.room(count * 4 + 4);
  let at = out.length;
  let pending = 0;
  let bits = 0;
  for (let i = 0; i < count; i += 1) {
    const width = frameWidths[i] as number;
    const word = frameWords[i] as number;
    const lowWidth = width < 16 ? width : 16;
    pending |= (word & ((1 << lowWidth) - 1)) << bits;
    bits += lowWidth;
    if (bits >= 16) {
      bytes[at] = pending;
      bytes[at + 1] = pending >>> 8;
      at += 2;
      pending >>>= 16;
      bits -= 16;
    }
    if (width <= 16) continue;
    pending |= ((word >>> 16) & ((1 << (width - 16)) - 1)) << bits;
    bits += width - 16;
    if (bits >= 16) {
      bytes[at] = pending;
      bytes[at + 1] = pending >>> 8;
      at += 2;
      pending >>>= 16;
      bits -= 16;
    }
  }
  for (; bits > 0; bits -= 8) {
    bytes[at] = pending;
    pending >>>= 8;
    at += 1;
  }
  out.length = at;
}

/** Throws DamagedSegment if the remaining bytes cannot hold this many numbers. */
export function requireFrames(reader: ByteReader, count: number): void {
  if (count > (reader.bytes.length - reader.at) * FRAME) {
    throw new DamagedSegment(`${count} numbers cannot be in what is left of the bytes`);
  }
}

/** Scratch space for a frame whose numbers go into an integer array. */
const frame = new Float64Array(FRAME);

/** Reads `count` numbers into `into`, from index `to` on. Errors: DamagedSegment. */
export function readFrames(reader: ByteReader, count: number, into: Numbers, to = 0): void {
  if (to + count > into.length) throw new DamagedSegment('more numbers than there is room for');
  for (let at = 0; at < count; at += FRAME) {
    const length = Math.min(FRAME, count - at);
    if (into instanceof Float64Array) readFrame(reader, length, into, to + at);
    else {
      readFrame(reader, length, frame, 0);
      for (let i = 0; i < length; i += 1) into[to + at + i] = frame[i] as number;
    }
  }
}

/** Reads one frame of `length` numbers. Errors: DamagedSegment. */
export function readFrame(
  reader: ByteReader,
  length: number,
  into: Float64Array,
  from: number,
): void {
  const head = reader.byte();
  const width = head & ~HAS_EXCEPTIONS;
  if (width > MAX_WIDTH) throw new DamagedSegment(`a frame has numbers of ${width} bits`);
  if (width === 0) into.fill(0, from, from + length);
  else readBits(reader, into, { from, to: from + length, width });
  if ((head & HAS_EXCEPTIONS) === 0) return;
  const scale = 2 ** width;
  const exceptions = reader.byte() + 1;
  for (let i = 0; i < exceptions; i += 1) {
    const index = reader.byte();
    if (index >= length) throw new DamagedSegment(`a frame of ${length} has no index ${index}`);
    const value = (into[from + index] as number) + reader.varint() * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new DamagedSegment('a number has more than 53 bits');
    into[from + index] = value;
  }
}

type BitRange = { readonly from: number; readonly to: number; readonly width: number };

function readBits(reader: ByteReader, into: Float64Array, { from, to, width }: BitRange): void {
  const { view } = reader;
  const start = reader.at;
  reader.skip(Math.ceil(((to - from) * width) / 8));
  let bit = start * 8;
  // Reads of four bytes must not pass the end of the array, so the last numbers are read bit by
  // bit.
  const whole = Math.max(0, Math.floor(((view.byteLength - 8) * 8 - bit) / width));
  const safe = Math.min(to, from + whole);
  let i = from;
  if (width <= ONE_READ) {
    const mask = (1 << width) - 1;
    for (; i < safe; i += 1) {
      into[i] = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & mask;
      bit += width;
    }
  } else {
    const mask = (1 << (width - 16)) - 1;
    for (; i < safe; i += 1) {
      const low = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & 0xffff;
      const high = (view.getUint32((bit + 16) >>> 3, true) >>> (bit & 7)) & mask;
      into[i] = high * 0x1_0000 + low;
      bit += width;
    }
  }
  for (; i < to; i += 1) {
    into[i] = bitsAt(reader.bytes, bit, width);
    bit += width;
  }
}

/** Returns `width` bits from the bit with index `from` on; those beyond the end are 0. */
export function bitsAt(bytes: Uint8Array, from: number, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i += 1) {
    const bit = from + i;
    if (((bytes[bit >>> 3] ?? 0) >>> (bit & 7)) & 1) value += 2 ** i;
  }
  return value;
}
