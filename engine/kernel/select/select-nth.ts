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
