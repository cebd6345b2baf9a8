import type { ComponentChildren } from 'preact';
import { addsUp } from '../../data/meter-kind.ts';
import { amountQuantity, type Terms, wholeQuantity } from '../../data/row-figures.ts';
import { type BigNumber, partOf } from '../../format/big-number.ts';
import { formatShare } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';

type PartRow = {
  readonly key: string;
  readonly metric: BigNumber;
  readonly volume: BigNumber | null;
};

type PartListProps<Row extends PartRow> = {
  /** The largest parts. */
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => ComponentChildren;
  readonly keyCount: number;
  /** The sum of parts that are not listed. */
  readonly others: BigNumber;
  /** The whole that shares refer to. */
  readonly total: BigNumber;
  readonly terms: Terms;
};

/** Lists the largest parts of something, and each one's share of the whole. */
export function PartList<Row extends PartRow>(props: PartListProps<Row>) {
  const { rows, nameOf, keyCount, others, total, terms } = props;
  const isSum = addsUp(terms.kind);
  if (rows.length === 0) return <p class="hint">No readings in this window.</p>;
  return (
    <ol>
      {rows.map((row) => (
        <li key={row.key}>
          <span class="drilldown-key">{nameOf(row)}</span>
          <Figure quantity={amountQuantity(row, terms)} />
          {isSum && <Part share={partOf(row.metric, total)} />}
        </li>
      ))}
      {isSum && keyCount > rows.length && (
        <li class="is-rest">
          <span class="drilldown-key">{keyCount - rows.length} more</span>
          <Figure quantity={wholeQuantity(others, terms)} />
          <Part share={partOf(others, total)} />
        </li>
      )}
    </ol>
  );
}

const Part = ({ share }: { readonly share: number }) => (
  <>
    <span class="number drilldown-share">{formatShare(share)}</span>
    <span class="share-track" aria-hidden="true">
      <span class="share-bar" style={{ width: `${Math.min(100, share * 100)}%` }} />
    </span>
  </>
);
