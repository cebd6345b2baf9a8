import { useRef } from 'preact/hooks';
import { type AlertEvent, compareEvents, type Rule } from '../../data/alerts/firing.ts';
import { Choice } from '../../parts/choice.tsx';
import { focusOn } from '../../parts/focus.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import type { AlertsViewProps } from './alerts-props.ts';
import { EVENT_COLUMNS, EventRow } from './event-row.tsx';

export type EventPage = {
  readonly edges: readonly { readonly node: AlertEvent }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
};

/** events null: still loading. */
type HistoryProps = AlertsViewProps & { readonly events: EventPage | null };

/** A page of the events that have ended. */
export function HistoryTable(props: HistoryProps) {
  const { events, address } = props;
  if (events === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  const ended = events.edges.map(({ node }) => node).filter(({ endedAt }) => endedAt !== null);
  const isByTime = address.order === 'newest';
  return (
    <TableCard
      name="History"
      note={address.after === null ? 'newest events' : 'older events'}
      head={
        <>
          <RuleChoice {...props} />
          <OrderChoice {...props} />
        </>
      }
      columns={EVENT_COLUMNS}
      empty={emptyText(props)}
      foot={<Pages {...props} events={events} />}
    >
      {(isByTime ? ended : ended.toSorted(compareEvents)).map((event) => (
        <EventRow key={event.id} {...props} event={event} />
      ))}
    </TableCard>
  );
}

function emptyText({ address }: ViewProps): string {
  if (address.after !== null) return 'There are no older events.';
  return address.alert === null
    ? 'No event has ended yet.'
    : `No event of ${address.alert} has ended yet.`;
}

/** The rule in the address is listed even if it has been removed. */
function RuleChoice({ address, navigate, alerts }: ViewProps) {
  const names = (alerts.rules ?? []).map(({ name }: Rule) => name);
  const gone = address.alert !== null && !names.includes(address.alert) ? [address.alert] : [];
  return (
    <Choice
      label="Events of"
      class="is-inline"
      value={address.alert ?? ''}
      options={[
        { value: '', label: 'All rules' },
        ...[...names, ...gone].map((name) => ({ value: name, label: name })),
      ]}
      onChoose={(name) => navigate.go({ alert: name || null, after: null })}
    />
  );
}

/** The server pages by time; within a page, what matters comes first unless the viewer chooses. */
const OrderChoice = ({ address, navigate }: ViewProps) => (
  <Choice
    label="Order"
    class="is-inline"
    value={address.order}
    options={[
      { value: 'matters', label: 'What matters first' },
      { value: 'newest', label: 'Newest first' },
    ]}
    onChoose={(order) => navigate.go({ order: order === 'newest' ? 'newest' : 'matters' })}
  />
);

function Pages({ address, navigate, events }: ViewProps & { readonly events: EventPage }) {
  const { hasNextPage, endCursor } = events.pageInfo;
  const foot = useRef<HTMLDivElement>(null);
  if (!hasNextPage && address.after === null) return null;
  const older = { after: endCursor };
  /** Goes on at the top of the table, whose foot may have another link then, or none. */
  const show = (page: { readonly after: string | null }) => {
    navigate.go(page);
    focusOn(foot.current?.closest('section')?.querySelector('h2'));
  };
  return (
    <div ref={foot} class="card-foot">
      {address.after !== null && (
        <a
          class="button"
          href={navigate.link({ after: null })}
          onClick={onPlainClick(() => show({ after: null }))}
        >
          Newest events
        </a>
      )}
      {hasNextPage && (
        <a class="button" href={navigate.link(older)} onClick={onPlainClick(() => show(older))}>
          Older events
        </a>
      )}
    </div>
  );
}
