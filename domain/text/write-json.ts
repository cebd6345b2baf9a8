import { stringify } from 'lossless-json';

/** For bytes, metrics and the like: returns a number if it is exact, else the bigint. */
export const jsonInteger = (value: bigint): number | bigint =>
  value >= -MAX_SAFE && value <= MAX_SAFE ? Number(value) : value;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Writes JSON with bigints in full (decision 8). JSON.stringify rejects bigints; the exact writer
 * is several times slower, and hardly any answer needs it.
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (hasBigInt(value)) return stringify(value) ?? 'null';
    throw error;
  }
}

function hasBigInt(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasBigInt);
}
