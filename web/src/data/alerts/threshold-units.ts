import type { Units } from '../../address/address.ts';
import {
  amountFactor,
  type Measure,
  measureOf,
  prefixedUnits,
  rateFactor,
} from '../../format/quantity.ts';
import { meterKind } from '../meter-kind.ts';
import type { EventRule } from './firing.ts';

/** A unit in which a threshold can be typed: one of it is `over` / `under` of what rules compare. */
export type ThresholdUnit = {
  readonly name: string;
  readonly over: bigint;
  readonly under: bigint;
  /** Whether it is a mean over the window. */
  readonly isRate: boolean;
};

/** What decides how a rule's values are measured. */
export type MeasuredRule = Pick<EventRule, 'comparison' | 'windowSeconds'> & {
  readonly counterGroup: Pick<EventRule['counterGroup'], 'topperBucketSize'>;
  readonly meter: Pick<EventRule['meter'], 'type' | 'units'>;
};

const unit = (name: string, over: number | bigint, under: number | bigint = 1): ThresholdUnit => ({
  name,
  over: BigInt(over),
  under: BigInt(under),
  isRate: false,
});

/**
 * The units of a rule's threshold, small ones first. Amounts of data may also be typed as the mean
 * rate of the window: 100 Mbit/s in five minutes is 3,750,000,000 bytes. The values of a rate meter
 * are its volume divided by the topper bucket (decision 23), and are typed as that mean rate.
 */
export function thresholdUnits(rule: MeasuredRule, units: Units): readonly ThresholdUnit[] {
  const { comparison, windowSeconds, counterGroup, meter } = rule;
  if (comparison === 'KEY_SHARE_ABOVE') return [unit('%', 1, 100)];
  if (comparison === 'KEY_IN_TOP') return [unit('', 1)];
  if (comparison === 'SILENT_SECONDS') {
    return [unit('seconds', 1), unit('minutes', 60), unit('hours', 3600), unit('days', 86_400)];
  }
  const measure = measureOf(meter.units);
  const kind = meterKind(meter.type);
  if (kind === 'rate') {
    return rateUnits(measure, units, { over: windowSeconds, under: counterGroup.topperBucketSize });
  }
  const amounts = prefixedUnits(measure, units, 'amounts').map(({ name, times }) =>
    scaled({ name, times, factor: amountFactor(measure, units) }),
  );
  if (kind !== 'counter' || measure.kind === 'other') return amounts;
  return [...amounts, ...rateUnits(measure, units, { over: windowSeconds, under: 1 })];
}

type Ratio = { readonly over: number; readonly under: number };

const rateUnits = (measure: Measure, units: Units, { over, under }: Ratio) =>
  prefixedUnits(measure, units, 'rates').map(({ name, times }) => {
    const one = scaled({ name, times, factor: rateFactor(measure, units) });
    return {
      ...unit(name, one.over * BigInt(over), one.under * BigInt(under)),
      isRate: true,
    };
  });

/** factor: how many of the unit one of the meter's is: 8, 1 or 1/8. */
const scaled = ({ name, times, factor }: Scaled): ThresholdUnit =>
  factor < 1 ? unit(name, times * Math.round(1 / factor)) : unit(name, times, factor);

type Scaled = { readonly name: string; readonly times: number; readonly factor: number };

const NUMBER = /^(-?)(\d{1,20})(?:\.(\d{0,12}))?$/;

/**
 * Converts a typed number to what rules compare, without a detour by fractions: `1.5` of GB is
 * exactly 1500000000, and whatever is no whole number is rounded. null: it is no number.
 */
export function parseThreshold(text: string, { over, under }: ThresholdUnit): bigint | null {
  const [, sign, whole, part = ''] = NUMBER.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  const scale = 10n ** BigInt(part.length) * under;
  const size = (2n * BigInt(whole + part) * over + scale) / (2n * scale);
  return sign ? -size : size;
}

/** Parses a share of 1 from a percentage; null: it is no number. */
export const parsePercent = (text: string): number | null =>
  NUMBER.test(text.trim()) ? Number((Number(text) / 100).toPrecision(12)) : null;

/** As many decimals as are shown: a number that needs more has a smaller unit. */
const DECIMALS = 3;

/** A threshold in the largest unit that takes few digits; as a mean rate if no amount does. */
export function thresholdTexts(
  threshold: number,
  units: readonly ThresholdUnit[],
): { readonly amount: string; readonly unit: string } {
  const [first] = units;
  // A share of 1, which is the only threshold that may not be a whole number.
  if (!first || first.name === '%') {
    return { amount: String(Number((threshold * 100).toPrecision(12))), unit: '%' };
  }
  const size = BigInt(Math.abs(threshold));
  const fitting = (isRate: boolean) =>
    units.findLast((each) => each.isRate === isRate && isShort(size, each));
  const { name, over, under } = fitting(false) ?? fitting(true) ?? first;
  const scaledUp = (size * under * 10n ** BigInt(DECIMALS)) / over;
  const digits = String(scaledUp).padStart(DECIMALS + 1, '0');
  const text = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, '');
  return { amount: threshold < 0 ? `-${text}` : text, unit: name };
}

/** Whether this is at least one of the unit, and a number with few decimals. */
const isShort = (size: bigint, { over, under }: ThresholdUnit): boolean =>
  size * under >= over && (size * under * 10n ** BigInt(DECIMALS)) % over === 0n;
