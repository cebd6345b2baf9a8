import { type BigNumber, toNumber } from '../format/big-number.ts';
import { longDuration } from '../format/moment.ts';
import type { Quantity } from '../format/quantity.ts';
import type { Covered } from './chart-data.ts';
import { addsUp, type MeterKind } from './meter-kind.ts';
import { bucketQuantity, type Terms } from './row-figures.ts';

/** What is told of topper buckets, or why it is not. */
export type BucketFigure = { readonly quantity: Quantity | null; readonly why: string | null };

type Buckets = { readonly kind: MeterKind; readonly topperBucketSize: number };

/**
 * Why nothing can be told of topper buckets; null: it can. A bucket that the window cuts counts
 * with what the window has of it, as if that was all: of such buckets every peak is too low.
 */
export function whyNoBuckets(covered: Covered, { kind, topperBucketSize }: Buckets): string | null {
  const first = Math.ceil(covered.from / topperBucketSize);
  const whole = Math.floor(covered.to / topperBucketSize) - first;
  if (!addsUp(kind) || whole >= 2) return null;
  return `The window has fewer than two whole buckets of ${longDuration(topperBucketSize)}`;
}

export const percentileFigure = (
  value: BigNumber | null,
  terms: Terms,
  covered: Covered,
): BucketFigure => {
  const why = whyNoBuckets(covered, terms);
  return { quantity: why ? null : bucketQuantity(value, terms), why };
};

type Peaked = { readonly peak: BigNumber | null; readonly averageRate: number | null };

/** The largest bucket, unless it is one that the window cuts: no peak lies below the average. */
export function peakFigure(
  { peak, averageRate }: Peaked,
  terms: Terms,
  covered: Covered,
): BucketFigure {
  const told = percentileFigure(peak, terms, covered);
  if (told.why || peak === null || averageRate === null || !addsUp(terms.kind)) return told;
  const most =
    terms.kind === 'rate'
      ? // It is rounded, and the average is not.
        toNumber(peak) + 0.5
      : toNumber(peak) / terms.topperBucketSize;
  return most >= averageRate * (1 - 1e-9)
    ? told
    : { quantity: null, why: 'The window cuts the bucket that has the peak' };
}
