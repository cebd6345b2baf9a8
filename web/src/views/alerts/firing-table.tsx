import type { AlertEvent } from '../../data/alerts/firing.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { AlertsViewProps } from './alerts-props.ts';
import { EVENT_COLUMNS, EventRow } from './event-row.tsx';

/** events null: still loading. */
type FiringProps = AlertsViewProps & { readonly events: readonly AlertEvent[] | null };

/** The firing events, those that matter most first. */
export function FiringTable(props: FiringProps) {
  const { events } = props;
  if (events === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  return (
    <TableCard
      name="Firing"
      note={String(events.length)}
      columns={EVENT_COLUMNS}
      empty="Nothing is firing."
    >
      {events.map((event) => (
        <EventRow key={event.id} {...props} event={event} />
      ))}
    </TableCard>
  );
}
