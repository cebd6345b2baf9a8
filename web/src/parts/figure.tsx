import type { BucketFigure } from '../data/bucket-figures.ts';
import type { Quantity } from '../format/quantity.ts';

/** A number with its unit apart, so that units stand below each other. */
export function Figure({
  quantity,
  title,
}: {
  quantity: Quantity | null;
  title?: string | undefined;
}) {
  if (!quantity) {
    return (
      <span class="number is-none" title={title}>
        –
      </span>
    );
  }
  const [number, unit] = quantity;
  return (
    <span class="number" title={title}>
      {number} <span class="unit">{unit}</span>
    </span>
  );
}

/** A figure of topper buckets; where there is none, why. */
export const BucketFigureOf = ({ told }: { readonly told: BucketFigure }) => (
  <Figure quantity={told.quantity} title={told.why ?? undefined} />
);
