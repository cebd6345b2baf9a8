import type { Span } from '../../data/choices.ts';
import type { Terms } from '../../data/row-figures.ts';
import { type BigNumber, toNumber } from '../../format/big-number.ts';
import type { Quantity } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';

type SummaryItemProps = {
  readonly name: string;
  readonly quantity: Quantity | null;
  readonly title?: string;
};

export const SummaryItem = ({ name, quantity, title }: SummaryItemProps) => (
  <div class="summary-item">
    <dt>{name}</dt>
    <dd>
      <Figure quantity={quantity} {...(title && { title })} />
    </dd>
  </div>
);

/** What a total is averaged over. */
export type Averaged = {
  readonly stored: Span | null;
  readonly table: { readonly window: Span };
};

/** Averages over the part of the window for which there is data, as for the keys. */
export function averageOf(
  total: BigNumber | null,
  { shown, terms }: { readonly shown: Averaged; readonly terms: Terms },
): number | null {
  if (total === null) return null;
  const { window } = shown.table;
  const { from, to } = shown.stored ?? window;
  const seconds = Math.max(1, Math.min(to, window.to) - Math.max(from, window.from));
  const volume = toNumber(total) * (terms.kind === 'rate' ? terms.topperBucketSize : 1);
  return volume / seconds;
}
