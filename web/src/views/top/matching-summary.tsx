import type { Address } from '../../address/address.ts';
import type { Prefix } from '../../address/prefix.ts';
import { type GroupChoice, groupOf, type MeterChoice } from '../../data/choices.ts';
import { filterWords, inOrder, jointOf } from '../../data/filter-words.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { rateQuantity, shareQuantity, type Terms, wholeQuantity } from '../../data/row-figures.ts';
import { toGroup } from '../../data/understand-filter.ts';
import { allDigits, type BigNumber } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import type { ViewProps } from '../view-props.ts';
import { NetworkTraffic } from './network-traffic.tsx';
import { type Averaged, averageOf, SummaryItem } from './summary-item.tsx';

type MatchingProps = Pick<ViewProps, 'session' | 'address' | 'navigate' | 'choice'> & {
  readonly terms: Terms;
  readonly shown: Averaged & {
    readonly group: GroupChoice;
    readonly meter: MeterChoice;
    readonly prefix: Prefix | null;
    readonly total: BigNumber | null;
    readonly table: {
      readonly matching?: { readonly total: BigNumber; readonly keyCount: number } | null;
    };
  };
  /** Returns the label of a raw key; null: it is not known. */
  readonly nameOf: (key: string) => string | null;
};

/** All keys that pass the filter, together: what a network uses, and where to look further. */
export function MatchingSummary(props: MatchingProps) {
  const { shown, terms, address, nameOf } = props;
  const { matching } = shown.table;
  if (!matching) return null;
  const { total, keyCount } = matching;
  const isSum = addsUp(terms.kind);
  return (
    <section class="matching" aria-label="What passes the filter">
      <h2>{inWords(address, nameOf)}</h2>
      <dl class="summary-items">
        <SummaryItem
          name={isSum ? 'Total of these' : shown.meter.name}
          quantity={wholeQuantity(total, terms)}
          title={`${allDigits(total)} ${shown.meter.units}`}
        />
        {isSum && (
          <>
            <SummaryItem name="Share of all" quantity={shareQuantity(total, shown.total)} />
            <SummaryItem name="Average" quantity={rateQuantity(averageOf(total, props), terms)} />
          </>
        )}
        <SummaryItem
          name={shown.prefix ? 'Networks' : 'Keys'}
          quantity={[allDigits(keyCount), '']}
        />
      </dl>
      <Pairs {...props} />
    </section>
  );
}

/** Says what passes, as the chips do. */
function inWords({ filters }: Address, nameOf: MatchingProps['nameOf']): string {
  const shown = inOrder(filters);
  return shown
    .map((filter, index) => {
      const { label, value } = filterWords(filter, nameOf);
      const joint = jointOf(filter, shown[index - 1] ?? null);
      return [joint, index === 0 ? label : label.toLowerCase(), isolated(value)]
        .filter(Boolean)
        .join(' ');
    })
    .join(' ');
}

/**
 * Links to the pairs of the same networks: with their apps, with other hosts. Of other filters, the
 * pairs would not be those of the keys that pass.
 */
function Pairs(props: MatchingProps) {
  const { address, navigate, choice, terms, shown } = props;
  const { group, meter } = shown;
  const isExact = group.crosskey === null && address.filters.every(({ kind }) => kind === 'cidr');
  const pairs = isExact && address.prefix === null ? drilldownsOf(group, choice) : [];
  if (pairs.length === 0) return null;
  return (
    <div class="matching-more">
      <NetworkTraffic {...props} meter={meter} terms={terms} pairs={pairs} />
      <p>
        With whom and for what:{' '}
        {pairs.map((to, index) => {
          const target = { ...toGroup({ address, group }, to), filters: address.filters };
          return (
            <>
              {index > 0 && ' · '}
              <a
                key={to.guid}
                href={navigate.link(target)}
                onClick={onPlainClick(() => navigate.go(target))}
              >
                {isolated(to.name)}
              </a>
            </>
          );
        })}
      </p>
    </div>
  );
}

const drilldownsOf = (group: GroupChoice, choice: ViewProps['choice']): readonly GroupChoice[] =>
  group.drilldowns.flatMap(({ guid }) => {
    const to = groupOf(choice, guid);
    return to ? [to] : [];
  });
