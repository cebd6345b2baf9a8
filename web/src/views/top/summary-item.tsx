import { type BigNumber, toNumber } from '../../format/big-number.ts';
import type { Quantity } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';
import type { ResultsProps } from './results-props.ts';

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

/** Averages over the part of the window for which there is data, as for the keys. */
export function averageOf(
  total: BigNumber | null,
  { shown, terms }: Pick<ResultsProps, 'shown' | 'terms'>,
): number | null {
  if (total === null) return null;
  const { window } = shown.table;
  const { from, to } = shown.stored ?? window;
  const seconds = Math.max(1, Math.min(to, window.to) - Math.max(from, window.from));
  const volume = toNumber(total) * (terms.kind === 'rate' ? terms.topperBucketSize : 1);
  return volume / seconds;
}
