/**
 * Whole numbers by row, without rounding. `low` alone holds them up to ±(2^53−1). With `high`, a
 * number is high · 2^32 + low, exact to about 2^84: enough for sums of 2^21 readings of 63 bits.
 * NaN in `low` means no number.
 */
export type Lanes = { readonly low: Float64Array; readonly high: Float64Array | null };

/** Lanes with a `high` part. */
export type WideLanes = { readonly low: Float64Array; readonly high: Float64Array };

/** The unit of `high`. */
export const HIGH_UNIT = 2 ** 32;
const HIGH_BITS = 32n;

/** From here on, doubles cannot represent every whole number. */
export const NARROW_BOUND = 2 ** 53;

export const isWide = (lanes: Lanes): lanes is WideLanes => lanes.high !== null;

export const narrowLanes = (length: number): Lanes => ({
  low: new Float64Array(length),
  high: null,
});

export const wideLanes = (length: number): WideLanes => ({
  low: new Float64Array(length),
  high: new Float64Array(length),
});

/** Returns the number of a row that has one. */
export function laneValue({ low, high }: Lanes, row: number): bigint {
  const value = low[row] ?? 0;
  if (high === null) return BigInt(value);
  return (BigInt(high[row] ?? 0) << HIGH_BITS) + BigInt(value);
}

export function setWide({ low, high }: WideLanes, row: number, value: bigint): void {
  const upper = value >> HIGH_BITS;
  high[row] = Number(upper);
  low[row] = Number(value - (upper << HIGH_BITS));
}

/** Returns the number rounded to a double, which preserves the order. NaN if there is none. */
export function approximate({ low, high }: Lanes, row: number): number {
  const value = low[row] ?? Number.NaN;
  return high === null ? value : (high[row] ?? 0) * HIGH_UNIT + value;
}

/** Brings every `low` back into 0 … 2^32−1 after sums, so that rows compare by high, then low. */
export function carry({ low, high }: WideLanes): void {
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] ?? 0;
    const over = Math.floor(value / HIGH_UNIT);
    if (over !== 0 && Number.isFinite(over)) {
      high[row] = (high[row] ?? 0) + over;
      low[row] = value - over * HIGH_UNIT;
    }
  }
}
