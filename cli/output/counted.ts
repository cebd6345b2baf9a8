/** Formats a number for people. */
export const count = (value: number): string => value.toLocaleString('en');

/** Formats a number and its noun, whose plural takes an `s`. */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${what}${value === 1 ? '' : 's'}`;
