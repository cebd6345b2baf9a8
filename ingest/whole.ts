/**
 * An integer without rounding: a `number` while that is exact (±(2^53−1)), a `bigint` beyond.
 * Nearly all readings are small, and adding numbers is many times faster than adding bigints.
 */
export type Whole = number | bigint;

/** The largest reading that can be stored; its negative is the smallest (decision 8). */
const MAX_READING = 2n ** 63n - 1n;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export const toWhole = (value: bigint): Whole =>
  value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : value;

export function addWhole(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    // A rounded sum is at least 2^53 and therefore never "safe".
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toWhole(BigInt(a) + BigInt(b));
}

/** Returns `a` − `b`, for amounts of which one contains the other. */
export const subtractWhole = (a: Whole, b: Whole): Whole =>
  typeof a === 'number' && typeof b === 'number' ? a - b : toWhole(BigInt(a) - BigInt(b));

export function multiplyWhole(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // A rounded product is at least 2^53 and therefore never "safe".
    if (Number.isSafeInteger(product)) return product;
  }
  return toWhole(BigInt(a) * BigInt(b));
}

/** Returns whether a number can be stored as one reading. */
export const isReading = (value: Whole): boolean =>
  typeof value === 'number' || (value <= MAX_READING && value >= -MAX_READING);

/** Digits that always make a safe integer. */
const SHORT = /^\d{1,15}$/;

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** More digits than any reading has. A longer number is not worth building. */
const MAX_DIGITS = 40;

/**
 * Parses a JSON number's text as an exact integer: `12`, `12.0` and `1.2e1` are the same. Returns
 * null if it is not an integer, or if it has too many digits to be a reading.
 */
export function parseWhole(text: string): Whole | null {
  if (SHORT.test(text)) return Number(text);
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = match;
  const significant = (integer + fraction).replace(/^0+/, '');
  const places = Number(exponent) - fraction.length;
  if (significant === '') return 0;
  const whole = places < 0 ? dropZeros(significant, -places) : addZeros(significant, places);
  return whole === null ? null : toWhole(BigInt(sign + whole));
}

function addZeros(digits: string, places: number): string | null {
  return digits.length + places > MAX_DIGITS ? null : digits + '0'.repeat(places);
}

function dropZeros(digits: string, places: number): string | null {
  const kept = digits.length - places;
  const isWhole = kept > 0 && kept <= MAX_DIGITS && /^0*$/.test(digits.slice(kept));
  return isWhole ? digits.slice(0, kept) : null;
}
