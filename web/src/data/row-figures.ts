import type { Units } from '../address/address.ts';
import type { Ranking } from '../address/ranking.ts';
import { type BigNumber, toNumber } from '../format/big-number.ts';
import { formatAmount, formatRate, type Measure, type Quantity } from '../format/quantity.ts';
import { addsUp, type MeterKind, perSecond } from './meter-kind.ts';

/** In what terms the values of a meter are told. */
export type Terms = {
  readonly kind: MeterKind;
  readonly measure: Measure;
  readonly units: Units;
  readonly topperBucketSize: number;
};

type Row = { readonly metric: BigNumber; readonly volume: BigNumber | null };

/** Of a counter the sum of a topper bucket, of a rate its mean over it: both per second. */
export const bucketQuantity = (value: BigNumber | null, terms: Terms): Quantity | null => {
  if (value === null) return null;
  const { kind, measure, units, topperBucketSize } = terms;
  if (!addsUp(kind)) return formatAmount(value, measure, units);
  const whole = { step: topperBucketSize, covered: topperBucketSize };
  return formatRate(perSecond(kind, toNumber(value), whole), measure, units);
};

export const rateQuantity = (value: number | null, { measure, units }: Terms): Quantity | null =>
  value === null ? null : formatRate(value, measure, units);

/** How much more or less than earlier, in the same terms as the amounts: with its sign. */
export function growthQuantity(value: BigNumber, { by }: Ranking, terms: Terms): Quantity {
  const [number, unit] = wholeQuantity(value, terms);
  return [`${by === 'decline' ? '\u2212' : '+'}${number}`, unit];
}

/** The volume, or what the meter has instead. */
export const amountQuantity = (row: Row, { kind, measure, units }: Terms): Quantity | null => {
  const value = addsUp(kind) ? row.volume : row.metric;
  return value === null ? null : formatAmount(value, measure, units);
};

/** The total and what is left of it, in the same terms as the rows. */
export const wholeQuantity = (
  value: BigNumber,
  { kind, measure, units, topperBucketSize }: Terms,
): Quantity =>
  formatAmount(
    // A rate's metric is its volume by topper buckets.
    kind === 'rate' ? toNumber(value) * topperBucketSize : value,
    measure,
    units,
  );
