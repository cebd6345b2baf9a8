import { allDigits } from './big-number.ts';

/** Returns a count with its noun: `1 step`, `2 steps`. */
export const counted = (count: number, noun: string): string =>
  `${allDigits(count)} ${noun}${count === 1 ? '' : 's'}`;
