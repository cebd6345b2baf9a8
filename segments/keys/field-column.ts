import { type ByteReader, ByteWriter } from '../codes/bytes.ts';
import { readFrames, writeFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';

/*
 * A column of numbers of 32 bits, some of which are known not to be less than the one before: of
 * those the step is kept. Ports, protocols and the addresses of servers come again and again, so
 * where that is smaller, the distinct numbers are listed and the column holds their ranks.
 *
 *     column   0, frames of steps and numbers
 *              1, how many are distinct, frames of their steps; frames of steps and ranks
 */

const PLAIN = 0;
const RANKED = 1;

/** Writes the numbers. isStep: 1 for those that are known to be no less than the one before. */
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

/** Null where so many are distinct that listing them gains nothing. */
function writeRanked(numbers: Uint32Array, isStep: Uint8Array): ByteWriter | null {
  // A first field ascends as it is: sorting it would cost more than all the rest.
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

/** The distinct ones of sorted numbers, which are overwritten. */
function distinctOf(sorted: Uint32Array): Uint32Array {
  let count = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[count] = sorted[i] as number;
    count += 1;
  }
  return sorted.subarray(0, count);
}

/** The rank of a number that is among those, which ascend. */
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

/** Reads as many numbers as `isStep` has. They may be too large. Errors: DamagedSegment. */
export function readColumn(reader: ByteReader, isStep: Uint8Array): Float64Array {
  const form = reader.byte();
  if (form === PLAIN) return readSteps(reader, isStep);
  if (form !== RANKED) throw new DamagedSegment(`a column of keys has no form ${form}`);
  const count = reader.varint();
  if (count > isStep.length) throw new DamagedSegment('more distinct numbers than numbers');
  const distinct = readSteps(reader, new Uint8Array(count).fill(1));
  const numbers = readSteps(reader, isStep);
  for (let i = 0; i < numbers.length; i += 1) {
    const number = distinct[numbers[i] as number];
    if (number === undefined) throw new DamagedSegment('a rank is not among the distinct numbers');
    numbers[i] = number;
  }
  return numbers;
}

function readSteps(reader: ByteReader, isStep: Uint8Array): Float64Array {
  const numbers = new Float64Array(isStep.length);
  readFrames(reader, numbers.length, numbers);
  let last = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    if (isStep[i] === 1) last += numbers[i] as number;
    else last = numbers[i] as number;
    numbers[i] = last;
  }
  return numbers;
}
