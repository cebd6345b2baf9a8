import type { Quantity } from '../format/quantity.ts';

/** A number with its unit apart, so that units stand below each other. */
export function Figure({ quantity, title }: { quantity: Quantity | null; title?: string }) {
  if (!quantity) return <span class="number is-none">–</span>;
  const [number, unit] = quantity;
  return (
    <span class="number" title={title}>
      {number} <span class="unit">{unit}</span>
    </span>
  );
}
