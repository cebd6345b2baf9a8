import { meterOf } from '../data/choices.ts';
import { addsUp, metricName } from '../data/meter-kind.ts';
import { amountQuantity, bucketQuantity, rateQuantity } from '../data/row-figures.ts';
import type { ShownKey } from '../data/shown-key.ts';
import { changeOf } from '../format/change.ts';
import { formatShare, type Quantity } from '../format/quantity.ts';
import { Figure } from '../parts/figure.tsx';
import type { KeyViewProps } from './key-props.ts';

export type Figures = NonNullable<ShownKey['figures']>;

type KeyFactsProps = KeyViewProps & { readonly figures: Figures };

/** What it comes to. */
export function KeyFacts({ figures, terms, group, address, choice, moments }: KeyFactsProps) {
  const isSum = addsUp(terms.kind);
  const meter = meterOf(group, address.meter);
  const change = changeOf(figures.previous, choice.totalWindow?.from ?? null);
  const then = figures.previous?.window;
  const percentile = (rank: number) =>
    bucketQuantity(figures.percentiles?.find((each) => each.rank === rank)?.value ?? null, terms);
  return (
    <dl class="facts">
      <Fact
        name={isSum ? 'Volume' : metricName(meter?.type ?? 'VT_GAUGE')}
        quantity={amountQuantity(figures, terms)}
      />
      {isSum && (
        <Fact
          name="Share"
          quantity={figures.share === null ? null : [formatShare(figures.share), '']}
        />
      )}
      {isSum && <Fact name="Average" quantity={rateQuantity(figures.averageRate, terms)} />}
      <Fact name="Peak" quantity={bucketQuantity(figures.peak, terms)} />
      <Fact name="95th perc." quantity={percentile(95)} />
      <Fact name="Median" quantity={percentile(50)} />
      <div class="fact is-wide">
        <dt>Change{then && ` from ${moments.range(then.from, then.to)}`}</dt>
        <dd>
          <span class={`number change is-${change.direction}`}>
            {change.direction === 'unknown' ? 'not stored as a whole' : change.text}
          </span>
        </dd>
      </div>
    </dl>
  );
}

const Fact = ({ name, quantity }: { name: string; quantity: Quantity | null }) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>
      <Figure quantity={quantity} />
    </dd>
  </div>
);

type KnownKey = NonNullable<ShownKey['known']>;

/** What is known of it besides its traffic. */
export function KeyAttributes({ known, rawKey }: { known: KnownKey; rawKey: string }) {
  const rows: readonly (readonly [string, string])[] = [
    ...(known.description ? ([['Description', known.description]] as const) : []),
    ...(known.attributes ?? []).map(({ name, value }) => [name, value] as const),
    ['Readable key', known.readable],
    ['Raw key', known.key || rawKey],
  ];
  return (
    <section class="attributes" aria-label="Attributes">
      <h3>Attributes</h3>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
