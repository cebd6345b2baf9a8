import type { BigNumber } from '../graph.ts';
import type { KnownMeter } from '../names/known-context.ts';
import { isRate } from './meter-rules.ts';

const SCALES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z'] as const;

/** In three digits, what the unit is called with a prefix before it. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['bytes', 'B'],
  ['bits', 'bit'],
  ['bps', 'bit/s'],
  ['Bps', 'B/s'],
]);

/** `1,234,567,890 bytes (1.23 GB)`: all digits, and a short form where bytes or bits are large. */
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

/** An amount per second; a rate's is in the unit of the rate itself. */
export function rateText(perSecond: number, { units, type }: KnownMeter): string {
  const number = Number(perSecond.toPrecision(4)).toLocaleString('en-US');
  return `${number} ${isRate(type) ? units : `${units}/s`}`;
}

export const shareText = (share: number): string => `${(share * 100).toFixed(1)} %`;
