/** An integer of any size, as the graph returns it: a number, or its digits beyond 2^53 - 1. */
export type BigNumber = number | string;

/** Converts to a number; precise enough for drawing, and for showing three digits. */
export const toNumber = (value: BigNumber): number => Number(value);

/** Returns a share, from 0 to 1. */
export const partOf = (part: BigNumber, whole: BigNumber): number =>
  toNumber(whole) > 0 ? toNumber(part) / toNumber(whole) : 0;

export const minus = (value: BigNumber, other: BigNumber): BigNumber =>
  toBigNumber(BigInt(value) - BigInt(other));

export const times = (value: BigNumber, factor: number): BigNumber =>
  toBigNumber(BigInt(value) * BigInt(factor));

export const sum = (values: readonly BigNumber[]): BigNumber =>
  toBigNumber(values.reduce<bigint>((total, value) => total + BigInt(value), 0n));

const toBigNumber = (value: bigint): BigNumber => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/** Returns all digits, in groups of three. */
export const allDigits = (value: BigNumber): string =>
  String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
