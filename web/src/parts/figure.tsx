import type { BucketFigure } from '../data/bucket-figures.ts';
import type { Quantity } from '../format/quantity.ts';

/** A number with a separate unit, so that units align in a column. */
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

/** A figure of topper buckets; if there is none, its title says why. */
export const BucketFigureOf = ({ figure }: { readonly figure: BucketFigure }) => (
  <Figure quantity={figure.quantity} title={figure.why ?? undefined} />
);
