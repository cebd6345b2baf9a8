import type { Units } from '../address/address.ts';
import {
  amountFactor,
  amountName,
  formatScaled,
  type Measure,
  rateFactor,
  rateName,
} from '../format/quantity.ts';

export type ChartScale = {
  readonly name: string;
  readonly factor: number;
  readonly formatValue: (value: number) => string;
};

/** Returns the unit of a chart: rates if readings add up, otherwise the measured values. */
export function chartScale(isRate: boolean, measure: Measure, units: Units): ChartScale {
  const base = measure.kind === 'other' ? 1000 : units.base;
  const unit = unitOf(isRate, measure, units);
  return {
    name: isRate ? rateName(measure, units) : amountName(measure, units),
    factor: isRate ? rateFactor(measure, units) : amountFactor(measure, units),
    formatValue: (value) => {
      const [number, prefix] = formatScaled(value, base);
      return `${number} ${prefix}${unit}`.trim();
    },
  };
}

function unitOf(isRate: boolean, measure: Measure, units: Units): string {
  if (measure.kind === 'other') return isRate ? '/s' : '';
  const letter = (isRate ? units.rates : units.amounts) === 'bits' ? 'bit' : 'B';
  return isRate ? `${letter}/s` : letter;
}
