/**
 * Work that yields wherever it may be interrupted, and returns its result. The code that runs it
 * decides when to continue.
 */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Runs work to its end without interruption. */
export function runWhole<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same for each element of a list, and yields after each. */
export function* mapSliced<A, B>(
  list: Iterable<A>,
  each: (element: A, index: number) => Sliced<B>,
): Sliced<B[]> {
  const results: B[] = [];
  for (const element of list) {
    results.push(yield* each(element, results.length));
    yield;
  }
  return results;
}
