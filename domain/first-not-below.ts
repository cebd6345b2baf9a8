/** Returns the index of the first of some ascending numbers that is not smaller than `min`. */
export function firstNotBelow(numbers: Uint32Array | Float64Array, min: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < min) low = middle + 1;
    else high = middle;
  }
  return low;
}
