/**
 * Formats an integer for the text of a COPY, which takes no parameters. Throws for anything else.
 */
export function copyInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`);
  return String(value);
}

/** Formats an integer[] for the text of a statement. */
export const copyArray = (values: readonly number[]): string => `${arrayText(values)}::int[]`;

/** Formats a bigint[] for the text of a statement. */
export const copyBigintArray = (values: readonly number[]): string =>
  `${arrayText(values)}::bigint[]`;

const arrayText = (values: readonly number[]): string => `'{${values.map(copyInteger).join(',')}}'`;
