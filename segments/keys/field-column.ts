import { type ByteReader, ByteWriter } from '../codes/bytes.ts';
import { readFrames, writeFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';

/*
 * A column of 32-bit numbers. Some of them are known to be no less than the previous number; for
 * these, the step is stored. Ports, protocols and the addresses of servers recur, so if it takes
 * less space, the distinct numbers are listed and the column holds their ranks.
 *
 *     column   0, frames of steps and numbers
 *              1, how many are distinct, frames of their steps; frames of steps and ranks
 */

const PLAIN = 0;
const RANKED = 1;

/** Writes the numbers. `isStep` is 1 for those known to be no less than the previous one. */
export function writeColumn(out: ByteWriter, numbers: Uint32Array, isStep: Uint8Array): void {
  const plain = new ByteWriter();
  plain.byte(PLAIN);
  writeFrames(plain, stepsOf(numbers, isStep));
  const ranked = writeRanked(numbers, isStep);
  out.appendFrom(ranked !== null && ranked.length < plain.length ? ranked : plain);
}

function stepsOf(numbers: Uint32Array, isStep: Uint8Array): Uint32Array {
  const steps = new Uint32Array(numbers.length);
  let last = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] as number;
    steps[i] = isStep[i] === 1 ? number - last : number;
    last = number;
  }
  return steps;
}

/** Writes the ranked form. Null if so many numbers are distinct that listing them gains nothing. */
function writeRanked(numbers: Uint32Array, isStep: Uint8Array): ByteWriter | null {
  // A first field already ascends. Sorting it would cost more than everything else.
  const distinct = distinctOf(isStep.includes(0) ? numbers.toSorted() : numbers.slice());
  if (distinct.length > numbers.length / 2) return null;
  const out = new ByteWriter();
  out.byte(RANKED);
  out.varint(distinct.length);
  writeFrames(out, stepsOf(distinct, new Uint8Array(distinct.length).fill(1)));
  const ranks = numbers.map((number) => rankOf(distinct, number));
  writeFrames(out, stepsOf(ranks, isStep));
  return out;
}

/** Returns the distinct numbers of a sorted array, which is overwritten. */
function distinctOf(sorted: Uint32Array): Uint32Array {
  let count = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[count] = sorted[i] as number;
    count += 1;
  }
  return sorted.subarray(0, count);
}

/** Returns the rank of a number in `distinct`, which is ascending and contains it. */
function rankOf(distinct: Uint32Array, number: number): number {
  let from = 0;
  let to = distinct.length - 1;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((distinct[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Buffers for the numbers of a column. The caller uses them before it reads the next column. */
let columnRoom: Float64Array = new Float64Array(0);
let distinctRoom: Float64Array = new Float64Array(0);

const withRoom = (numbers: Float64Array, count: number): Float64Array =>
  numbers.length < count ? new Float64Array(count) : numbers;

/**
 * Reads `count` numbers. If `isStep` is null, all are known to be no less than the previous one.
 * The numbers may be too large, and the next column overwrites them. Errors: DamagedSegment.
 */
export function readColumn(
  reader: ByteReader,
  count: number,
  isStep: Uint8Array | null,
): Float64Array {
  columnRoom = withRoom(columnRoom, count);
  const numbers = columnRoom.subarray(0, count);
  const form = reader.byte();
  if (form === PLAIN) readSteps(reader, numbers, isStep);
  else if (form === RANKED) readRanked(reader, numbers, isStep);
  else throw new DamagedSegment(`a column of keys has no form ${form}`);
  return numbers;
}

function readRanked(reader: ByteReader, numbers: Float64Array, isStep: Uint8Array | null): void {
  const count = reader.varint();
  if (count > numbers.length) throw new DamagedSegment('more distinct numbers than numbers');
  distinctRoom = withRoom(distinctRoom, count);
  const distinct = distinctRoom.subarray(0, count);
  readSteps(reader, distinct, null);
  readSteps(reader, numbers, isStep);
  for (let i = 0; i < numbers.length; i += 1) {
    const rank = numbers[i] as number;
    if (rank >= count) throw new DamagedSegment('a rank is not among the distinct numbers');
    numbers[i] = distinct[rank] as number;
  }
}

function readSteps(reader: ByteReader, numbers: Float64Array, isStep: Uint8Array | null): void {
  readFrames(reader, numbers.length, numbers);
  let last = 0;
  if (isStep === null) {
    for (let i = 0; i < numbers.length; i += 1) {
      last += numbers[i] as number;
      numbers[i] = last;
    }
    return;
  }
  for (let i = 0; i < numbers.length; i += 1) {
    if (isStep[i] === 1) last += numbers[i] as number;
    else last = numbers[i] as number;
    numbers[i] = last;
  }
}
