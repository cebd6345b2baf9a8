/**
 * Returns the k-th largest of the first `length` numbers, or −Infinity if there are fewer. A heap
 * of the k largest so far has the smallest of them on top: most numbers are smaller and cost one
 * comparison.
 */
export function kthLargest(numbers: Float64Array, length: number, k: number): number {
  if (length < k) return Number.NEGATIVE_INFINITY;
  const heap = numbers.slice(0, k);
  for (let at = (k >> 1) - 1; at >= 0; at -= 1) sink(heap, at);
  for (let i = k; i < length; i += 1) {
    const number = numbers[i] as number;
    if (number > (heap[0] as number)) {
      heap[0] = number;
      sink(heap, 0);
    }
  }
  return heap[0] as number;
}

/** Replaces the smallest number of a heap, and returns the new smallest. */
export function raiseSmallest(heap: Float64Array, number: number): number {
  heap[0] = number;
  sink(heap, 0);
  return heap[0];
}

/** Moves the number at `from` down until no number below it is smaller. */
function sink(heap: Float64Array, from: number): void {
  const number = heap[from] as number;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) {
      child += 1;
    }
    if ((heap[child] as number) >= number) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = number;
}
