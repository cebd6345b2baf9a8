/** A number as people read it. */
export const count = (value: number): string => value.toLocaleString('en');

/** So many of something whose plural has an `s`. */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${what}${value === 1 ? '' : 's'}`;
