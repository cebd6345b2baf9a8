/*
 * A double's highest word has its sign, eleven bits of exponent and twenty of the fraction. As long
 * as it is not negative, it has the same order as the number. So the first bits divide numbers into
 * parts, each of which is less than all later ones, and no step depends on the result of a
 * comparison. Only within the parts with wanted numbers are numbers compared.
 */

/** Bits of the fraction that divide numbers with the same exponent. */
const FRACTION_BITS = 6;

const LEFT_OUT = 20 - FRACTION_BITS;

/** Numbers below 1/2 are all in the first part: sums are integers. */
const FIRST_PART = 1022 << FRACTION_BITS;

const PARTS = (2048 << FRACTION_BITS) - FIRST_PART;

/** Memory for so many numbers is kept from one call to the next. */
const KEPT_NUMBERS = 16_384;

const keptParts = new Uint32Array(KEPT_NUMBERS);
const keptDivided = new Float64Array(KEPT_NUMBERS);

/** How many numbers each part has, and later where it ends. Zero between two calls. */
const counts = new Uint32Array(PARTS);

/**
 * Returns the numbers at these indexes, counted from 0, of the sorted `numbers`, which are not
 * changed.
 */
export function selectIndexes(numbers: Float64Array, indexes: readonly number[]): number[] {
  if (indexes.length === 0) return [];
  const { length } = numbers;
  const isKept = length <= KEPT_NUMBERS;
  const parts = isKept ? keptParts : new Uint32Array(length);
  const divided = isKept ? keptDivided : new Float64Array(length);
  const range = countParts(numbers, parts);
  if (range === null) {
    const copy = numbers.slice();
    return indexes.map((index) => selectNth(copy, index));
  }
  toStarts(range);
  divide(numbers, parts, divided);
  const selected = indexes.map((index) => selectDivided(divided, range, index));
  counts.fill(0, range.first, range.last + 1);
  return selected;
}

type Range = { readonly first: number; readonly last: number };

/** Notes the part of each number. Returns the first and the last; null: a number is negative. */
function countParts(numbers: Float64Array, parts: Uint32Array): Range | null {
  const { buffer, byteOffset, length } = numbers;
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  let first = PARTS - 1;
  let last = 0;
  let signs = 0;
  for (let i = 0; i < length; i += 1) {
    const word = words[2 * i + 1] as number;
    signs |= word;
    const above = ((word & 0x7fff_ffff) >>> LEFT_OUT) - FIRST_PART;
    const part = above < 0 ? 0 : above;
    parts[i] = part;
    counts[part] = (counts[part] as number) + 1;
    first = part < first ? part : first;
    last = part > last ? part : last;
  }
  if (signs >= 0) return { first, last };
  counts.fill(0, first, last + 1);
  return null;
}

/** Replaces the counts with the index at which each part starts. */
function toStarts({ first, last }: Range): void {
  let start = 0;
  for (let part = first; part <= last; part += 1) {
    const count = counts[part] as number;
    counts[part] = start;
    start += count;
  }
}

/** Sorts the numbers by their parts, and moves the start of each part to its end. */
function divide(numbers: Float64Array, parts: Uint32Array, divided: Float64Array): void {
  for (let i = 0; i < numbers.length; i += 1) {
    const part = parts[i] as number;
    const to = counts[part] as number;
    divided[to] = numbers[i] as number;
    counts[part] = to + 1;
  }
}

function selectDivided(divided: Float64Array, { first, last }: Range, index: number): number {
  let part = first;
  let max = last;
  while (part < max) {
    const middle = (part + max) >>> 1;
    if ((counts[middle] as number) > index) max = middle;
    else part = middle + 1;
  }
  const start = part === first ? 0 : (counts[part - 1] as number);
  return selectNth(divided.subarray(start, counts[part]), index - start);
}

/**
 * Returns the number at `index`, counted from 0, of the sorted numbers. Moves smaller ones before
 * it and larger ones behind it, so that the next call costs less (Hoare's "Find", 1961).
 */
export function selectNth(numbers: Float64Array, index: number): number {
  let left = 0;
  let right = numbers.length - 1;
  while (left < right) {
    const pivot = numbers[(left + right) >> 1] as number;
    let i = left;
    let j = right;
    while (i <= j) {
      while ((numbers[i] as number) < pivot) i += 1;
      while ((numbers[j] as number) > pivot) j -= 1;
      if (i > j) break;
      const number = numbers[i] as number;
      numbers[i] = numbers[j] as number;
      numbers[j] = number;
      i += 1;
      j -= 1;
    }
    if (index <= j) right = j;
    else if (index >= i) left = i;
    else break;
  }
  return numbers[index] as number;
}
