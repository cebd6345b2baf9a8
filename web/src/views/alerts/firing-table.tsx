import { firingEvents } from '../../data/alerts/firing.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import { EVENT_COLUMNS, EventRow } from './event-row.tsx';

/** The firing events, those that matter most first. */
export function FiringTable(props: ViewProps) {
  const { rules } = props.alerts;
  if (rules === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  const events = firingEvents(rules);
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
