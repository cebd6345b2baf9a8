import type { Units } from '../address/address.ts';
import { type BigNumber, toNumber } from './big-number.ts';

/** What a meter measures: data, which has bits and bytes, or anything else, by name. */
export type Measure =
  | { readonly kind: 'bytes' }
  | { readonly kind: 'bits' }
  | { readonly kind: 'other'; readonly name: string };

/** Parses `bytes`, `Bps`, `bits/s`, `packets` …; in short forms a capital B stands for bytes. */
export function measureOf(units: string): Measure {
  const bare = units.trim().replace(/(\/s|ps| per second)$/i, '');
  if (bare === 'B' || /^(bytes?|octets?)$/i.test(bare)) return { kind: 'bytes' };
  if (bare === 'b' || /^bits?$/i.test(bare)) return { kind: 'bits' };
  return { kind: 'other', name: bare };
}

/** A number with three digits and its unit: `['1.64', 'GB']`. */
export type Quantity = readonly [number: string, unit: string];

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'] as const;

/** Scales a number to three digits and a prefix. Values below 1 get no prefix. */
export function formatScaled(value: number, base: 1000 | 1024): readonly [string, string] {
  const size = Math.abs(value);
  if (size < 1 && size > 0) return [size < 0.01 ? value.toPrecision(1) : value.toFixed(2), ''];
  let power = 0;
  let scaled = value;
  // 999.6 is shown as 1.00 of the next prefix, not as 1000.
  while (Math.abs(Number(scaled.toPrecision(3))) >= base && power < PREFIXES.length - 1) {
    scaled /= base;
    power += 1;
  }
  const prefix = PREFIXES[power] ?? '';
  return [digits(scaled, power === 0), base === 1024 && power > 0 ? binary(prefix) : prefix];
}

const binary = (prefix: string): string => `${prefix.toUpperCase()}i`;

function digits(value: number, isWhole: boolean): string {
  const size = Math.abs(value);
  if (isWhole && Number.isInteger(value)) return String(value);
  if (size >= 99.95) return value.toFixed(0);
  return value.toFixed(size >= 9.995 ? 1 : 2);
}

/** Returns the unit in which data is shown, and how many of it one unit of the meter is. */
function dataUnit(measure: Measure, shownAs: 'bytes' | 'bits'): { unit: string; factor: number } {
  if (measure.kind === 'other') return { unit: '', factor: 1 };
  const factor = measure.kind === shownAs ? 1 : shownAs === 'bits' ? 8 : 1 / 8;
  return { unit: shownAs === 'bits' ? 'bit' : 'B', factor };
}

export function formatAmount(value: BigNumber, measure: Measure, units: Units): Quantity {
  const { unit, factor } = dataUnit(measure, units.amounts);
  const base = measure.kind === 'other' ? 1000 : units.base;
  const [number, prefix] = formatScaled(toNumber(value) * factor, base);
  return [number, prefix + unit];
}

/** Formats a rate; `perSecond` is in the meter's own unit. */
export function formatRate(perSecond: number, measure: Measure, units: Units): Quantity {
  const { unit, factor } = dataUnit(measure, units.rates);
  const base = measure.kind === 'other' ? 1000 : units.base;
  const [number, prefix] = formatScaled(perSecond * factor, base);
  return [number, `${prefix}${unit}/s`];
}

/** The prefixes that people type; data of a petabyte in a window is typed with more digits. */
const TYPED_PREFIXES = PREFIXES.slice(0, 5);

/** Returns the units in which an amount or a rate can be typed, small ones first. */
export function prefixedUnits(
  measure: Measure,
  units: Units,
  of: 'amounts' | 'rates',
): readonly { readonly name: string; readonly times: number }[] {
  const { unit } = dataUnit(measure, units[of]);
  const base = measure.kind === 'other' ? 1000 : units.base;
  return TYPED_PREFIXES.map((prefix, power) => {
    const shown = base === 1024 && power > 0 ? binary(prefix) : prefix;
    const name = measure.kind === 'other' ? `${shown} ${measure.name}`.trim() : shown + unit;
    return { name: of === 'rates' ? `${name}/s` : name, times: base ** power };
  });
}

export const amountFactor = (measure: Measure, units: Units): number =>
  dataUnit(measure, units.amounts).factor;

export const rateFactor = (measure: Measure, units: Units): number =>
  dataUnit(measure, units.rates).factor;

/** Returns the unit of a column or axis, in words. */
export const amountName = (measure: Measure, units: Units): string =>
  measure.kind === 'other' ? measure.name : units.amounts;

export const rateName = (measure: Measure, units: Units): string =>
  measure.kind === 'other' ? `${measure.name}/s` : units.rates === 'bits' ? 'bit/s' : 'bytes/s';

export const baseName = (units: Units): string => (units.base === 1000 ? 'k = 1000' : 'Ki = 1024');

export const joined = ([number, unit]: Quantity): string =>
  unit ? `${number}\u00a0${unit}` : number;

/** Formats a share of 1; a small but nonzero share is not shown as zero. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.001) return '<0.1 %';
  return `${(share * 100).toFixed(share >= 0.9995 ? 0 : 1)} %`;
}
