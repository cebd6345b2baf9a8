import { useRef } from 'preact/hooks';
import { OVERVIEW_WINDOW } from '../../address/window-choice.ts';
import { cardsOf } from '../../data/overview/overview-question.ts';
import type { ShownCard } from '../../data/overview/shown-overview.ts';
import { toNumber } from '../../format/big-number.ts';
import { FaultNotice, Notice } from '../../parts/notice.tsx';
import type { OverviewProps } from './overview-props.ts';
import { CardsSkeleton } from './overview-skeleton.tsx';
import { OverviewSummary } from './overview-summary.tsx';
import { StatusCard } from './status-card.tsx';
import { TopCard } from './top-card.tsx';
import { TrafficSection } from './traffic-section.tsx';

/** The answer: the traffic, how the context is, and the largest keys of each group. */
export function OverviewResults(props: OverviewProps) {
  const { shown, address, onReload } = props;
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const hasTraffic = toNumber(shown.traffic?.total ?? 0) > 0;
  const isEmpty = !hasTraffic && shown.cards?.some(hasKeys) === false;
  return (
    <>
      <OverviewSummary {...props} canvas={canvas} />
      <div class="overview-main">
        {isEmpty ? (
          <>
            <NothingThen {...props} />
            <StatusCard {...props} />
          </>
        ) : shown.traffic ? (
          <TrafficSection
            key={`${address.context} ${shown.traffic.subject.group.guid}`}
            {...props}
            traffic={shown.traffic}
            onCanvas={(drawn) => {
              canvas.current = drawn;
            }}
          >
            <StatusCard {...props} />
          </TrafficSection>
        ) : (
          <>
            {shown.trafficFault && (
              <FaultNotice
                fault={shown.trafficFault}
                missing="The traffic is missing."
                onRetry={onReload}
              />
            )}
            <StatusCard {...props} />
          </>
        )}
      </div>
      <Cards {...props} />
    </>
  );
}

function Cards(props: OverviewProps) {
  const { shown, cardsFault, areCardsStale, onReload } = props;
  const { cards } = shown;
  if (cardsFault) {
    return (
      <FaultNotice fault={cardsFault} missing="The largest keys are missing." onRetry={onReload} />
    );
  }
  if (!cards) return <CardsSkeleton count={cardsOf(shown.choice).groups.length} />;
  return (
    <div class={`overview-cards ${areCardsStale ? 'is-stale' : ''}`}>
      {cards.filter(hasKeys).map((card) => (
        <TopCard key={card.group.guid} {...props} card={card} />
      ))}
    </div>
  );
}

/** A group may have nothing for whoever sees only some networks. A failed one may have some. */
const hasKeys = ({ topper }: ShownCard) => topper?.keys.length !== 0;

/** Says when there are readings, and how some get here. */
function NothingThen({ shown, navigate, moments, alerts }: OverviewProps) {
  const available = shown.choice.totalWindow;
  if (!available) {
    return (
      <Notice
        isView
        title="Nothing is stored in this context yet"
        actions={
          alerts.mayAdd && (
            <button
              type="button"
              class="button is-primary"
              onClick={() => navigate.go({ view: 'add' })}
            >
              Add data
            </button>
          )
        }
      >
        {!alerts.mayAdd && <p>Ask an editor of this context to add some.</p>}
      </Notice>
    );
  }
  return (
    <Notice
      isView
      title="No readings in this window"
      actions={
        <button
          type="button"
          class="button is-primary"
          onClick={() => navigate.go({ window: OVERVIEW_WINDOW })}
        >
          Show the newest data
        </button>
      }
    >
      <p>
        Data is available from {moments.full(available.from)} to {moments.full(available.to)}.
      </p>
    </Notice>
  );
}
