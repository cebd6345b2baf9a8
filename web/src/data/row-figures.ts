import type { Units } from '../address/address.ts';
import type { Ranking } from '../address/ranking.ts';
import { type BigNumber, partOf, toNumber } from '../format/big-number.ts';
import { longDuration } from '../format/moment.ts';
import {
  formatAmount,
  formatRate,
  formatShare,
  type Measure,
  type Quantity,
} from '../format/quantity.ts';
import { coveredPart } from './chart-data.ts';
import type { Span } from './choices.ts';
import { addsUp, type MeterKind, perSecond } from './meter-kind.ts';

/** The terms in which the values of a meter are shown. */
export type Terms = {
  readonly kind: MeterKind;
  readonly measure: Measure;
  readonly units: Units;
  readonly topperBucketSize: number;
};

type Row = { readonly metric: BigNumber; readonly volume: BigNumber | null };

/** Returns a bucket's rate per second: from a counter's sum over the bucket, or a rate's mean. */
export const bucketQuantity = (value: BigNumber | null, terms: Terms): Quantity | null => {
  if (value === null) return null;
  const { kind, measure, units, topperBucketSize } = terms;
  if (!addsUp(kind)) return formatAmount(value, measure, units);
  const whole = { step: topperBucketSize, covered: topperBucketSize };
  return formatRate(perSecond(kind, toNumber(value), whole), measure, units);
};

export const rateQuantity = (value: number | null, { measure, units }: Terms): Quantity | null =>
  value === null ? null : formatRate(value, measure, units);

/** Less than this part of a window that is not stored need not be said. */
const MISSING = 0.05;

/** Returns the name of an average: it is over the part of a window for which there is data. */
export function averageName(window: Span, stored: Span | null): string {
  const { from, to } = coveredPart(window, stored);
  const isWhole = to - from >= (1 - MISSING) * (window.to - window.from);
  return isWhole || to <= from ? 'Average' : `Average over the ${longDuration(to - from)} stored`;
}

/** Returns the change since the earlier window, in the same terms as the amounts, with its sign. */
export function growthQuantity(value: BigNumber, { by }: Ranking, terms: Terms): Quantity {
  const [number, unit] = wholeQuantity(value, terms);
  return [`${by === 'decline' ? '\u2212' : '+'}${number}`, unit];
}

/** Returns the volume, or the meter's value if it has no volume. */
export const amountQuantity = (row: Row, { kind, measure, units }: Terms): Quantity | null => {
  const value = addsUp(kind) ? row.volume : row.metric;
  return value === null ? null : formatAmount(value, measure, units);
};

/** Formats the total and the others, in the same terms as the rows. */
export const wholeQuantity = (
  value: BigNumber,
  { kind, measure, units, topperBucketSize }: Terms,
): Quantity =>
  formatAmount(
    // A rate's metric is its volume divided by the topper bucket.
    kind === 'rate' ? toNumber(value) * topperBucketSize : value,
    measure,
    units,
  );

/** Returns the share of a total; null if either is not known. */
export const shareQuantity = (part: BigNumber | null, total: BigNumber | null): Quantity | null =>
  part === null || total === null ? null : [formatShare(partOf(part, total)), ''];
