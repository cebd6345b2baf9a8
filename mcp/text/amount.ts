import type { BigNumber } from '../graph.ts';
import type { KnownMeter } from '../names/known-context.ts';
import { isRate } from './meter-rules.ts';

const SCALES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z'] as const;

/** Short unit names that take a metric prefix, for amounts in three digits. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['bytes', 'B'],
  ['bits', 'bit'],
  ['bps', 'bit/s'],
  ['Bps', 'B/s'],
]);

/**
 * Formats an amount with all digits, and a short form if bytes or bits are large: `1,234,567,890
 * bytes (1.23 GB)`.
 */
export function amountText(value: BigNumber, units: string): string {
  const digits = String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const exact = units === '' ? digits : `${digits} ${units}`;
  const short = SHORT.get(units);
  const size = Math.abs(Number(value));
  if (short === undefined || size < 1000) return exact;
  const scale = Math.min(SCALES.length - 1, Math.floor(Math.log10(size) / 3));
  const scaled = (Number(value) / 1000 ** scale).toPrecision(3);
  return `${exact} (${Number(scaled)} ${SCALES[scale]}${short})`;
}

/** Formats an amount per second. A rate already has a unit per second. */
export const rateText = (perSecond: number, { units, type }: KnownMeter): string =>
  `${perSecondText(perSecond)} ${isRate(type) ? units : `${units}/s`}`;

/**
 * Rounds to an integer with all its digits; a small number has four digits, too. Beyond 2^53 - 1
 * the further digits of a float mean nothing.
 */
function perSecondText(perSecond: number): string {
  const size = Math.abs(perSecond);
  const fourDigits = { maximumSignificantDigits: 4 };
  if (size < 1000) return perSecond.toLocaleString('en-US', fourDigits);
  if (size > Number.MAX_SAFE_INTEGER) {
    return `about ${perSecond.toLocaleString('en-US', fourDigits)}`;
  }
  return Math.round(perSecond).toLocaleString('en-US');
}

export const shareText = (share: number): string => `${(share * 100).toFixed(1)} %`;
