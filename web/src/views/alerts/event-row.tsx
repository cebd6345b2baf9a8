import { conditionText, valueText } from '../../data/alerts/alert-words.ts';
import type { AlertEvent } from '../../data/alerts/firing.ts';
import { allDigits } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { Acknowledgement } from './acknowledgement.tsx';
import type { AlertsViewProps } from './alerts-props.ts';
import { EventKey } from './event-key.tsx';
import { SeverityMark } from './severity-mark.tsx';

export const EVENT_COLUMNS = [
  'Severity',
  'What, and why',
  'Began',
  'Lasted',
  '#Peak',
  'Rule',
  'Acknowledged',
];

/** An event that is firing or has ended. */
export function EventRow(props: AlertsViewProps & { readonly event: AlertEvent }) {
  const { event, moments, address } = props;
  const { alert } = event;
  return (
    <tr class="is-event">
      <td data-name="Severity">
        <SeverityMark severity={alert.severity} />
      </td>
      <th scope="row">
        <EventKey {...props} />
      </th>
      <td data-name="Began">{moments.full(event.startedAt)}</td>
      <td data-name="Lasted">
        <Lasted {...props} />
      </td>
      <td class="is-number" data-name="Peak">
        <span class="number" title={allDigits(event.peakValue)}>
          {valueText(event.peakValue, event, address.units)}
        </span>
      </td>
      <td
        class="is-long"
        data-name="Rule"
        title={`${isolated(alert.name)}: ${conditionText(alert, address.units)}`}
      >
        {alert.name}
      </td>
      <td class="is-wrapped" data-name="Acknowledged">
        <Acknowledgement {...props} />
      </td>
    </tr>
  );
}

function Lasted({ event, moments, choice }: AlertsViewProps & { readonly event: AlertEvent }) {
  const { startedAt, endedAt } = event;
  if (endedAt === null) {
    const soFar = Math.max(0, (choice?.totalWindow?.to ?? startedAt) - startedAt);
    return (
      <>
        <strong>firing</strong>
        {soFar > 0 && ` for ${longDuration(soFar)}`}
      </>
    );
  }
  return (
    <span title={`until ${moments.full(endedAt)}`}>
      {longDuration(endedAt - startedAt) || '0 seconds'}
    </span>
  );
}
