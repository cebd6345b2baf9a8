import { type BigNumber, toNumber } from '../format/big-number.ts';
import { longDuration } from '../format/moment.ts';
import type { Quantity } from '../format/quantity.ts';
import type { Span } from './choices.ts';
import { addsUp, type MeterKind } from './meter-kind.ts';
import { bucketQuantity, type Terms } from './row-figures.ts';

/** A figure of topper buckets, or why there is none. */
export type BucketFigure = { readonly quantity: Quantity | null; readonly why: string | null };

type Buckets = { readonly kind: MeterKind; readonly topperBucketSize: number };

/**
 * Returns why topper buckets have no figures; null if they do. A bucket that the window cuts counts
 * with only the part within the window: the peak of such buckets is always too low.
 */
export function whyNoBuckets(covered: Span, { kind, topperBucketSize }: Buckets): string | null {
  const first = Math.ceil(covered.from / topperBucketSize);
  const whole = Math.floor(covered.to / topperBucketSize) - first;
  if (!addsUp(kind) || whole >= 2) return null;
  return `The data of this window cover fewer than two whole buckets of ${longDuration(topperBucketSize)}`;
}

export const percentileFigure = (
  value: BigNumber | null,
  terms: Terms,
  covered: Span,
): BucketFigure => {
  const why = whyNoBuckets(covered, terms);
  return { quantity: why ? null : bucketQuantity(value, terms), why };
};

type Peaked = { readonly peak: BigNumber | null; readonly averageRate: number | null };

/** Returns the largest bucket, unless the window cuts it: no peak is below the average. */
export function peakFigure(
  { peak, averageRate }: Peaked,
  terms: Terms,
  covered: Span,
): BucketFigure {
  const figure = percentileFigure(peak, terms, covered);
  if (figure.why || peak === null || averageRate === null || !addsUp(terms.kind)) return figure;
  const most =
    terms.kind === 'rate'
      ? // The peak is rounded, and the average is not.
        toNumber(peak) + 0.5
      : toNumber(peak) / terms.topperBucketSize;
  return most >= averageRate * (1 - 1e-9)
    ? figure
    : { quantity: null, why: 'The window cuts off part of the bucket with the peak' };
}
