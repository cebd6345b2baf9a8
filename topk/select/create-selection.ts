import { selectNth } from './select-nth.ts';

/** Number of bits dropped from a single: its exponent and four more bits remain. */
const LEFT_OUT = 19;

/**
 * Returns a function that gives the number at an index, counted from 0, of the sorted `numbers`,
 * which are not changed. Non-negative singles have the same order as their bits, so the first bits
 * divide them: no step depends on the result of a comparison, and several indexes share the first
 * step.
 */
export function createSelection(numbers: Float64Array): (place: number) => number {
  const bits = new Uint32Array(new Float32Array(numbers).buffer);
  let least = 0xffff_ffff;
  let most = 0;
  for (let i = 0; i < bits.length; i += 1) {
    const all = bits[i] as number;
    least = all < least ? all : least;
    most = all > most ? all : most;
    bits[i] = all >>> LEFT_OUT;
  }
  // The sign is the highest bit.
  if (most >= 0x8000_0000) {
    const copy = numbers.slice();
    return (place) => selectNth(copy, place);
  }
  const first = least >>> LEFT_OUT;
  const counts = new Uint32Array(Math.max(0, (most >>> LEFT_OUT) - first) + 1);
  for (let i = 0; i < bits.length; i += 1) {
    const part = (bits[i] as number) - first;
    counts[part] = (counts[part] as number) + 1;
  }
  return (place) => {
    let part = 0;
    let before = 0;
    while (place >= before + (counts[part] as number)) {
      before += counts[part] as number;
      part += 1;
    }
    const same = takePart(numbers, bits, first + part, counts[part] as number);
    return selectNth(same, place - before);
  };
}

/** Returns the numbers whose first bits are `part`; writes each, and counts only these. */
function takePart(
  numbers: Float64Array,
  bits: Uint32Array,
  part: number,
  count: number,
): Float64Array {
  const same = new Float64Array(count + 1);
  let length = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    same[length] = numbers[i] as number;
    length += bits[i] === part ? 1 : 0;
  }
  return same.subarray(0, count);
}
