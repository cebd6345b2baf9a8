import { DamagedSegment } from '../damaged-segment.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import {
  bitsAt,
  FRAME,
  frameBits,
  frameNumbers,
  frameWidths,
  measureFrame,
  type Numbers,
  readFrame,
  writeFrameBits,
  writeMeasured,
} from './frames.ts';

/*
 * Frames (frames.ts) of numbers whose sizes are roughly known to the reader from what it has read
 * before: a share of a total that it knows has about as many bits as the average share. So a frame
 * need not have one width for all of its numbers: number i has hint[i] + shift bits, and the frame
 * says only the shift. No hint depends on a number of the same frame.
 *
 *     a plain frame    first byte below 128
 *     a hinted frame   128 | 64 if there are exceptions | shift + 16
 *                      the numbers side by side, the lowest bit of the first byte first; number i
 *                      takes hint[i] + shift bits, but at least 0 and at most 32
 *                      exceptions: their number − 1, then for each its position and the LEB128 of
 *                      its upper bits
 */

const HINTED = 128;
const HAS_EXCEPTIONS = 64;
const MIN_SHIFT = -16;
const MAX_SHIFT = 15;
const MAX_WIDTH = 32;

/** More hints and bits than any number has. */
const TOO_MANY_BITS = 54;

/** Number of bits in each byte of an exception. */
const EXCEPTION_BITS = 7;

/** Writes the numbers; hints[i] is about the number of bits of number i, at most 53. */
export function writeHintedFrames(out: ByteWriter, numbers: Numbers, hints: Uint8Array): void {
  for (let from = 0; from < numbers.length; from += FRAME) {
    const to = Math.min(from + FRAME, numbers.length);
    const plain = measureFrame(numbers, from, to);
    const { shift, size } = bestShift(hints, from, to);
    if (plain.size <= size) writeMeasured(out, to - from, plain);
    else writeHinted(out, { hints, from, to, shift });
  }
}

/** By hint: how many numbers of the frame have a hint of at least that. */
const byHint = new Uint32Array(TOO_MANY_BITS + 1);

/** By the shift that a number needs, from MIN_SHIFT on: how many numbers need it. */
const byShift = new Uint32Array(MAX_SHIFT - MIN_SHIFT + 1 + TOO_MANY_BITS);

/** By shift: the bytes that the upper bits of all exceptions would take. */
const upperBytes = new Uint32Array(byShift.length + EXCEPTION_BITS);

type FrameShift = { readonly shift: number; readonly size: number };

/** Returns the shift with which a frame takes the fewest bytes besides its first, and how many. */
function bestShift(hints: Uint8Array, from: number, to: number): FrameShift {
  const highest = Math.max(MIN_SHIFT, countShifts(hints, from, to));
  let best: FrameShift = { shift: 0, size: Number.POSITIVE_INFINITY };
  let exceptions = 0;
  upperBytes.fill(0, highest - MIN_SHIFT, highest - MIN_SHIFT + EXCEPTION_BITS);
  let bits = widthSum(highest);
  for (let shift = highest; shift >= MIN_SHIFT; shift -= 1) {
    const index = shift - MIN_SHIFT;
    if (shift < highest) {
      exceptions += byShift[index + 1] as number;
      upperBytes[index] = exceptions + (upperBytes[index + EXCEPTION_BITS] as number);
      // Every number that had at least one bit and not more than 32 has one bit less.
      bits -= hintsBetween(-shift, MAX_WIDTH - shift);
    }
    if (shift > MAX_SHIFT) continue;
    const fixed = exceptions === 0 ? 0 : 1 + exceptions;
    if (fixed >= best.size) break;
    const size = ((bits + 7) >>> 3) + fixed + (upperBytes[index] as number);
    if (size < best.size) best = { shift, size };
  }
  return best;
}

/** Fills `byHint` and `byShift`. Returns the largest shift that any number needs. */
function countShifts(hints: Uint8Array, from: number, to: number): number {
  byHint.fill(0);
  byShift.fill(0);
  let highest = MIN_SHIFT;
  for (let at = from; at < to; at += 1) {
    const hint = hints[at] as number;
    const bits = frameBits[at - from] as number;
    // A number of more than 32 bits is always an exception, however wide its place is.
    const own =
      bits > MAX_WIDTH ? Math.max(bits - hint, bits - MAX_WIDTH + MAX_SHIFT) : bits - hint;
    const shift = Math.max(MIN_SHIFT, own);
    byHint[hint] = (byHint[hint] as number) + 1;
    byShift[shift - MIN_SHIFT] = (byShift[shift - MIN_SHIFT] as number) + 1;
    if (shift > highest) highest = shift;
  }
  for (let hint = TOO_MANY_BITS - 1; hint >= 0; hint -= 1) {
    byHint[hint] = (byHint[hint] as number) + (byHint[hint + 1] as number);
  }
  return highest;
}

/** Returns how many numbers have a hint from `from` to before `to`. */
function hintsBetween(from: number, to: number): number {
  const atLeast = (hint: number): number =>
    byHint[Math.min(TOO_MANY_BITS, Math.max(0, hint))] as number;
  return atLeast(from) - atLeast(to);
}

function widthSum(shift: number): number {
  let sum = 0;
  for (let bit = 1; bit <= MAX_WIDTH; bit += 1) sum += hintsBetween(bit - shift, TOO_MANY_BITS);
  return sum;
}

type HintedFrame = {
  readonly hints: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly shift: number;
};

function writeHinted(out: ByteWriter, { hints, from, to, shift }: HintedFrame): void {
  const count = to - from;
  let exceptions = 0;
  for (let i = 0; i < count; i += 1) {
    const width = widthOf(hints[from + i] as number, shift);
    frameWidths[i] = width;
    if ((frameBits[i] as number) > width) exceptions += 1;
  }
  out.byte(HINTED | (exceptions > 0 ? HAS_EXCEPTIONS : 0) | (shift - MIN_SHIFT));
  writeFrameBits(out, count);
  if (exceptions === 0) return;
  out.byte(exceptions - 1);
  for (let i = 0; i < count; i += 1) {
    const value = frameNumbers[i] as number;
    const scale = POWERS[frameWidths[i] as number] as number;
    if (value < scale) continue;
    out.byte(i);
    out.varint(Math.floor(value / scale));
  }
}

/** By number of bits: 2 to that power. */
const POWERS = Float64Array.from({ length: MAX_WIDTH + 1 }, (_, bits) => 2 ** bits);

function widthOf(hint: number, shift: number): number {
  const width = hint + shift;
  if (width < 0) return 0;
  return width > MAX_WIDTH ? MAX_WIDTH : width;
}

/** Numbers to read: as many as there are hints. */
type HintedNumbers = { readonly hints: Uint8Array; readonly into: Float64Array };

/** Reads numbers written by writeHintedFrames. Errors: DamagedSegment. */
export function readHintedFrames(reader: ByteReader, { hints, into }: HintedNumbers): void {
  for (let from = 0; from < into.length; from += FRAME) {
    const to = Math.min(from + FRAME, into.length);
    if ((reader.bytes[reader.at] ?? 0) < HINTED) readFrame(reader, to - from, into, from);
    else readHinted(reader, { hints, into, from, to });
  }
}

function readHinted(
  reader: ByteReader,
  { hints, into, from, to }: HintedNumbers & { readonly from: number; readonly to: number },
): void {
  const head = reader.byte();
  const shift = (head & (HAS_EXCEPTIONS - 1)) + MIN_SHIFT;
  if (shift > MAX_SHIFT) throw new DamagedSegment(`a frame has the shift ${shift}`);
  const { view, at, bytes } = reader;
  // Reads of four bytes must not pass the end of the array, so the last numbers are read bit by
  // bit.
  const safe = (view.byteLength - 8) * 8;
  let bit = at * 8;
  for (let i = from; i < to; i += 1) {
    const width = widthOf(hints[i] as number, shift);
    if (bit > safe) into[i] = bitsAt(bytes, bit, width);
    else if (width <= 25) {
      into[i] = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & ((1 << width) - 1);
    } else {
      const low = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & 0xffff;
      const high = view.getUint32((bit + 16) >>> 3, true) >>> (bit & 7);
      into[i] = (high & ((1 << (width - 16)) - 1)) * 0x1_0000 + low;
    }
    bit += width;
  }
  reader.skip(((bit + 7) >>> 3) - at);
  if ((head & HAS_EXCEPTIONS) !== 0) readExceptions(reader, { hints, into, from, to }, shift);
}

function readExceptions(
  reader: ByteReader,
  { hints, into, from, to }: HintedNumbers & { readonly from: number; readonly to: number },
  shift: number,
): void {
  const exceptions = reader.byte() + 1;
  for (let i = 0; i < exceptions; i += 1) {
    const index = from + reader.byte();
    if (index >= to) throw new DamagedSegment(`a frame of ${to - from} has no index ${index}`);
    const scale = 2 ** widthOf(hints[index] as number, shift);
    const value = (into[index] as number) + reader.varint() * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new DamagedSegment('a number has more than 53 bits');
    into[index] = value;
  }
}
