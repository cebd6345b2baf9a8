import { selectNth } from './select-nth.ts';

/*
 * Selects from ascending numbers and a few others in any order, as if all were in one order, equal
 * others first. The number of ascending ones before the wanted place is found by trial: as it
 * grows, so does the place of the ascending number that follows. Each trial counts others once.
 */

let scratch = new Float64Array(1024);

/** Returns the number at `place`, counted from 0, of all numbers in order. */
export function selectBeside(ascending: Float64Array, others: Float64Array, place: number): number {
  const share = ascending.length / (ascending.length + others.length);
  let least = Math.max(0, place - others.length);
  let most = Math.min(ascending.length, place);
  let likely = Math.floor(place * share);
  for (let isHalving = false; least < most; isHalving = !isHalving) {
    // Numbers are usually spread alike, but halving ends soon even if they are not.
    const guess = isHalving ? (least + most) >>> 1 : Math.min(Math.max(likely, least), most - 1);
    const number = ascending[guess] as number;
    const missing = place - guess - countUpTo(others, number);
    if (missing === 0) return number;
    if (missing > 0) least = guess + 1;
    else most = guess;
    likely = guess + Math.round(missing * share);
  }
  return selectBetween(ascending, others, { before: least, place });
}

function countUpTo(numbers: Float64Array, most: number): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i += 1) count += (numbers[i] as number) <= most ? 1 : 0;
  return count;
}

type Between = {
  /** How many of the ascending numbers come before the wanted one. */
  readonly before: number;
  readonly place: number;
};

/** Returns the wanted number, which is the ascending one that follows or one of the others. */
function selectBetween(
  ascending: Float64Array,
  others: Float64Array,
  { before, place }: Between,
): number {
  const last = before === 0 ? Number.NEGATIVE_INFINITY : (ascending[before - 1] as number);
  const next = before < ascending.length ? (ascending[before] as number) : Number.POSITIVE_INFINITY;
  if (scratch.length < others.length) scratch = new Float64Array(2 * others.length);
  let between = 0;
  let passed = 0;
  for (let i = 0; i < others.length; i += 1) {
    const number = others[i] as number;
    const isPassed = number <= last;
    scratch[between] = number;
    between += !isPassed && number <= next ? 1 : 0;
    passed += isPassed ? 1 : 0;
  }
  const wanted = place - before - passed;
  return wanted < between ? selectNth(scratch.subarray(0, between), wanted) : next;
}
