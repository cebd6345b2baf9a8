import { useRef } from 'preact/hooks';
import { peakFigure, percentileFigure } from '../../data/bucket-figures.ts';
import { coveredPart } from '../../data/chart-data.ts';
import { meterOf } from '../../data/choices.ts';
import { earlierGap } from '../../data/earlier.ts';
import { addsUp, metricName } from '../../data/meter-kind.ts';
import { amountQuantity, rateQuantity, shareQuantity } from '../../data/row-figures.ts';
import { shareTotal } from '../../data/share-total.ts';
import type { ShownKey } from '../../data/shown-key.ts';
import type { BigNumber } from '../../format/big-number.ts';
import { changeOf } from '../../format/change.ts';
import type { Quantity } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';
import type { KeyViewProps } from './key-props.ts';

export type Figures = NonNullable<ShownKey['figures']>;

type KeyFactsProps = KeyViewProps & { readonly figures: Figures };

/** The figures of the key. */
export function KeyFacts(props: KeyFactsProps) {
  const { figures, terms, group, address, moments, shownKey } = props;
  const isSum = addsUp(terms.kind);
  const meter = meterOf(group, address.meter);
  const change = changeOf(figures.previous, shownKey.stored?.from ?? null);
  const then = figures.previous?.window;
  const gap = then && earlierGap({ earlier: then, stored: shownKey.stored });
  const covered = coveredPart(shownKey.window ?? { from: 0, to: 0 }, shownKey.stored);
  const percentile = (rank: number) => {
    const value = figures.percentiles?.find((each) => each.rank === rank)?.value ?? null;
    return percentileFigure(value, terms, covered);
  };
  const share = shareQuantity(figures.metric, useShareTotal(props));
  const peak = peakFigure(figures, terms, covered);
  return (
    <dl class="facts">
      <Fact
        name={isSum ? 'Volume' : metricName(meter?.type ?? 'VT_GAUGE')}
        quantity={amountQuantity(figures, terms)}
      />
      {isSum && (
        <Fact
          name="Share of total"
          quantity={share}
          why={share ? null : 'The key is hidden, or the total without the hidden keys is missing'}
        />
      )}
      {isSum && <Fact name="Average" quantity={rateQuantity(figures.averageRate, terms)} />}
      <Fact name="Peak" {...peak} />
      <Fact name="95th perc." {...percentile(95)} />
      <Fact name="Median" {...percentile(50)} />
      {peak.why && (
        <div class="fact is-wide">
          <dt>Note</dt>
          <dd class="hint">{peak.why}.</dd>
        </div>
      )}
      <div class="fact is-wide">
        <dt>Change{then && ` from ${moments.range(then.from, then.to)}`}</dt>
        <dd>
          <span class={`number change is-${change.direction}`}>
            {gap ? (gap.isWhole ? 'nothing is stored for it' : 'only partly stored') : change.text}
          </span>
        </dd>
      </div>
    </dl>
  );
}

/** Returns the total of the last table that the key matched, until it is as new as the table. */
function useShareTotal({ address, shownKey, shown }: KeyFactsProps): BigNumber | null {
  const matched = useRef(shown);
  const total = shareTotal({ address, shownKey, shown });
  if (total !== null || shown?.total === null) matched.current = shown;
  return total ?? shareTotal({ address, shownKey, shown: matched.current });
}

type FactProps = { name: string; quantity: Quantity | null; why?: string | null };

const Fact = ({ name, quantity, why }: FactProps) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>
      <Figure quantity={quantity} title={why ?? undefined} />
    </dd>
  </div>
);
