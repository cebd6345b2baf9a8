import type { Span } from '../../data/choices.ts';
import { patienceMs } from '../../data/live-top.ts';
import type { Comparison } from '../../data/overview/compared-times.ts';
import { cardsOf } from '../../data/overview/overview-question.ts';
import {
  busiestStep,
  rateOver,
  type ShownTraffic,
  termsOf,
} from '../../data/overview/shown-overview.ts';
import { trafficWords } from '../../data/overview/traffic-words.ts';
import { averageName, rateQuantity, wholeQuantity } from '../../data/row-figures.ts';
import { allDigits } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import type { Quantity } from '../../format/quantity.ts';
import { Figure } from '../../parts/figure.tsx';
import { OverviewLink } from './overview-link.tsx';
import type { EarlierState, OverviewProps } from './overview-props.ts';

type TrafficFiguresProps = OverviewProps & {
  readonly traffic: ShownTraffic;
  readonly earlier: EarlierState;
};

/** How much traffic there is, and whether that is more than earlier. */
export function TrafficFigures(props: TrafficFiguresProps) {
  const { shown, traffic, moments, address } = props;
  const { subject, total, newest, chart } = traffic;
  const { meter, group } = subject;
  const terms = termsOf(group, meter.index, address.units);
  const { title, note } = trafficWords(traffic);
  const busiest = busiestStep(chart);
  const isNewest = newest !== null && newest.window.to === shown.window.to;
  return (
    <section class="card traffic-card" aria-label={title}>
      <dl class="summary-items">
        <Item
          name={title}
          quantity={wholeQuantity(total, terms)}
          title={`${allDigits(total)} ${meter.units}`}
        />
        {isNewest && (
          <Item
            name={newestName(newest.window, patienceMs(group))}
            quantity={rateQuantity(
              rateOver(newest.total, newest.window, shown.stored, terms),
              terms,
            )}
          />
        )}
        <Item
          name={averageName(shown.window, shown.stored)}
          quantity={rateQuantity(rateOver(total, shown.window, shown.stored, terms), terms)}
        />
        {busiest && (
          <Item
            name={`Busiest ${longDuration(chart.step)}`}
            quantity={rateQuantity(busiest.rate, terms)}
            note={moments.range(busiest.from, busiest.to)}
          />
        )}
      </dl>
      <Comparisons {...props} />
      {note && <p class="hint">{note}</p>}
    </section>
  );
}

/** The newest data may be of long ago. */
function newestName({ from, to }: Span, mostMs: number): string {
  const length = longDuration(to - from);
  return Date.now() - to * 1000 < mostMs ? `Now, over ${length}` : `Newest ${length}`;
}

/** Each earlier time in a line. The lines are there before they are known: nothing moves. */
function Comparisons(props: TrafficFiguresProps) {
  const { comparisons, fault } = props.earlier;
  if (fault) return <p class="hint">Earlier traffic is not known: {fault.message}.</p>;
  return (
    <ul class="comparisons">
      {comparisons === null ? (
        <li class="hint">Comparing with earlier …</li>
      ) : (
        comparisons.map((each) => (
          <li key={each.text}>
            <span class={each.direction === 'unknown' ? 'hint' : `change is-${each.direction}`}>
              {each.text}
            </span>
            {each.detail && <span class="hint"> ({each.detail})</span>}
            <Causes {...props} comparison={each} />
          </li>
        ))
      )}
    </ul>
  );
}

/** Leads to the keys that have grown or declined most. */
function Causes(props: TrafficFiguresProps & { readonly comparison: Comparison }) {
  const { direction, compare } = props.comparison;
  const { groups, meter } = cardsOf(props.shown.choice);
  const [group] = groups;
  if (!group || (direction !== 'up' && direction !== 'down')) return null;
  const ranking = { by: direction === 'up' ? 'growth' : 'decline' } as const;
  const target = { view: 'top', group: group.guid, meter, ranking, compare } as const;
  return (
    <span class="hint">
      {' '}
      <OverviewLink {...props} target={target}>
        {direction === 'up' ? 'What grew?' : 'What declined?'}
      </OverviewLink>
    </span>
  );
}

type ItemProps = {
  readonly name: string;
  readonly quantity: Quantity | null;
  readonly title?: string;
  readonly note?: string;
};

const Item = ({ name, quantity, title, note }: ItemProps) => (
  <div class="summary-item">
    <dt>{name}</dt>
    <dd>
      <Figure quantity={quantity} {...(title && { title })} />
      {note && <span class="hint"> {note}</span>}
    </dd>
  </div>
);
