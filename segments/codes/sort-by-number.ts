/** Sorted rows. The rows of number n end at ends[n]. */
type SortedRows = { readonly rows: Uint32Array; readonly ends: Uint32Array };

/** Sorts rows by their numbers, which are below `bound`. The sort is stable. */
export function sortByNumber(numbers: Uint32Array, bound: number): SortedRows {
  const next = new Uint32Array(bound + 1);
  for (let row = 0; row < numbers.length; row += 1) {
    const after = (numbers[row] as number) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let number = 0; number < bound; number += 1) {
    next[number + 1] = (next[number + 1] as number) + (next[number] as number);
  }
  const rows = new Uint32Array(numbers.length);
  for (let row = 0; row < numbers.length; row += 1) {
    const number = numbers[row] as number;
    const at = next[number] as number;
    rows[at] = row;
    next[number] = at + 1;
  }
  return { rows, ends: next.subarray(0, bound) };
}

/** Returns the numbers of some rows, in their order. */
export function picked(numbers: Uint32Array, rows: Uint32Array): Uint32Array {
  const result = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) result[i] = numbers[rows[i] as number] as number;
  return result;
}
