import type { Span } from '../../data/choices.ts';
import { patienceMs } from '../../data/live-top.ts';
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
import type { EarlierState, OverviewProps } from './overview-props.ts';

type TrafficFiguresProps = OverviewProps & {
  readonly traffic: ShownTraffic;
  readonly earlier: EarlierState;
};

/** How much traffic there is, and whether that is more than earlier. */
export function TrafficFigures(props: TrafficFiguresProps) {
  const { shown, traffic, earlier, moments, address } = props;
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
      <Comparisons {...earlier} />
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
function Comparisons({ comparisons, fault }: EarlierState) {
  if (fault) return <p class="hint">Earlier traffic is not known: {fault.message}.</p>;
  return (
    <ul class="comparisons">
      {comparisons === null ? (
        <li class="hint">Comparing with earlier …</li>
      ) : (
        comparisons.map(({ text, detail, direction }) => (
          <li key={text}>
            <span class={direction === 'unknown' ? 'hint' : `change is-${direction}`}>{text}</span>
            {detail && <span class="hint"> ({detail})</span>}
          </li>
        ))
      )}
    </ul>
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
