/** COPY takes no parameters: only integers may get into its text. Throws for anything else. */
export function copyInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no integer`);
  return String(value);
}

/** An integer[] as it is written in the text of a statement. */
export const copyArray = (values: readonly number[]): string => `${arrayText(values)}::int[]`;

/** A bigint[]. */
export const copyBigintArray = (values: readonly number[]): string =>
  `${arrayText(values)}::bigint[]`;

const arrayText = (values: readonly number[]): string => `'{${values.map(copyInteger).join(',')}}'`;
