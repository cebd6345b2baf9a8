import { Command } from '../../parts/command.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { AlertsViewProps, Sink } from './alerts-props.ts';

const COLUMNS = ['Sink', 'Kind', 'Where', 'Is told of', 'Last delivery'];

/** Who is told of events; only editors of all of the context see them. */
export function SinkTable(props: AlertsViewProps) {
  const { sinks } = props;
  if (sinks === null) return null;
  return (
    <TableCard
      name="Sinks"
      note={sinks.length}
      columns={COLUMNS}
      empty={
        <>
          Nobody is told of events: declare a webhook or an Alertmanager under <code>notify</code>{' '}
          in a file, and <Command>apply</Command> it.
        </>
      }
    >
      {sinks.map((sink) => (
        <SinkRow key={sink.name} {...props} sink={sink} />
      ))}
    </TableCard>
  );
}

function SinkRow({ sink, moments }: AlertsViewProps & { readonly sink: Sink }) {
  const { lastDelivered, lastError } = sink;
  return (
    <tr>
      <th scope="row" class="is-wrapped">
        {sink.name}
      </th>
      <td data-name="Kind">
        {sink.kind === 'WEBHOOK' ? 'webhook' : 'Alertmanager'}
        {sink.signed && ', signed'}
      </td>
      <td class="is-wrapped" data-name="Where">
        <code>{sink.target}</code>
      </td>
      <td class="is-wrapped" data-name="Is told of">
        {sink.gets}
      </td>
      <td class="is-wrapped" data-name="Last delivery">
        {lastDelivered === null ? 'none yet' : moments.full(lastDelivered)}
        {lastError !== null && <span class="event-fault">failed since: {lastError}</span>}
      </td>
    </tr>
  );
}
