const INTEGER = /^[+-]?\d+$/;

/** An integer as a parameter gives it, or null (decision 2). */
export function parseInteger(text: string): number | null {
  if (!INTEGER.test(text)) return null;
  const value = Number(text);
  // Adding 0 turns the -0 that "-0" gives into 0.
  return Number.isSafeInteger(value) ? value + 0 : null;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** A boolean as a parameter gives it, or null (decision 2). */
export const parseBoolean = (text: string): boolean | null =>
  BOOLEANS.get(text.toLowerCase()) ?? null;
