import { invalidWindow, malformed } from '../../domain/errors.ts';
import { type Interval, MAX_EPOCH_SECONDS } from '../../domain/time/interval.ts';

/**
 * Returns the window to compare with: of the same length, `ago` seconds earlier; null: the one just
 * before. Errors: it would begin before 1970; `ago` is not positive.
 */
export function earlierWindow({ from, to }: Interval, ago: number | null): Interval {
  const seconds = ago ?? to - from;
  if (ago !== null && ago < 1) throw malformed('ago', 'a positive number of seconds', ago);
  if (from - seconds < 0 && ago === null) {
    throw invalidWindow(`the one just before must not begin before 0, got ${from - seconds}`);
  }
  if (from - seconds < 0) {
    const must = `at most ${from} seconds, so that the window stays within 0 to ${MAX_EPOCH_SECONDS}`;
    throw malformed('ago', must, seconds);
  }
  return { from: from - seconds, to: to - seconds };
}
