import { conditionText, valueText } from '../../data/alerts/alert-words.ts';
import { type AlertEvent, firingEvents } from '../../data/alerts/firing.ts';
import { allDigits } from '../../format/big-number.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import { EventKey } from './event-key.tsx';
import { SeverityMark } from './severity-mark.tsx';

const COLUMNS = ['Severity', 'Rule', 'Key', 'Since', '#Value', '#Worst', 'Condition'];

/** The firing events. */
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
      columns={COLUMNS}
      empty="Nothing is firing."
    >
      {events.map((event) => (
        <FiringRow key={event.id} {...props} event={event} />
      ))}
    </TableCard>
  );
}

function FiringRow(props: ViewProps & { readonly event: AlertEvent }) {
  const { event, moments, address } = props;
  const { alert } = event;
  return (
    <tr>
      <td data-name="Severity">
        <SeverityMark severity={alert.severity} />
      </td>
      <td class="is-long" data-name="Rule" title={alert.name}>
        {alert.name}
      </td>
      <th scope="row">
        <EventKey {...props} />
      </th>
      <td data-name="Since">{moments.full(event.startedAt)}</td>
      <td class="is-number" data-name="Value">
        <span class="number" title={allDigits(event.value)}>
          {valueText(event.value, event, address.units)}
        </span>
      </td>
      <td class="is-number" data-name="Worst">
        <span class="number" title={allDigits(event.peakValue)}>
          {valueText(event.peakValue, event, address.units)}
        </span>
      </td>
      <td data-name="Condition" title={alert.condition}>
        {conditionText(alert, address.units)}
      </td>
    </tr>
  );
}
