import type { Sliced } from '../../domain/sliced.ts';

/** Runs work that may be interrupted; wherever it yields, other requests may continue. */
export async function inPauses<T>(
  reader: { pause(): Promise<void> | undefined },
  work: Sliced<T>,
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await reader.pause();
  }
}
