const INTEGER = /^[+-]?\d+$/;

/** Reads an integer from a parameter; null if it is not one (decision 2). */
export function parseInteger(text: string): number | null {
  if (!INTEGER.test(text)) return null;
  const value = Number(text);
  // Number("-0") is -0. Adding 0 turns it into 0.
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

/** Reads a boolean from a parameter; null if it is not one (decision 2). */
export const parseBoolean = (text: string): boolean | null =>
  BOOLEANS.get(text.toLowerCase()) ?? null;
