import { useRef } from 'preact/hooks';
import { valueText } from '../../data/alerts/alert-words.ts';
import type { AlertEvent, Rule } from '../../data/alerts/firing.ts';
import { allDigits } from '../../format/big-number.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { Choice } from '../../parts/choice.tsx';
import { focusOn } from '../../parts/focus.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import { EventKey } from './event-key.tsx';
import { SeverityMark } from './severity-mark.tsx';

type EventPage = {
  readonly edges: readonly { readonly node: AlertEvent }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
};

/** events null: still loading. */
type HistoryProps = ViewProps & { readonly events: EventPage | null };

const COLUMNS = ['Began', 'Ended', 'Severity', 'Rule', 'Key', '#Value', '#Worst'];

/** Past and firing events, newest first. */
export function HistoryTable(props: HistoryProps) {
  const { events, address } = props;
  if (events === null) {
    return (
      <div class="skeleton" aria-hidden="true">
        <span class="bone is-list" />
      </div>
    );
  }
  return (
    <TableCard
      name="History"
      note={address.after === null ? 'newest first' : 'older events'}
      head={<RuleChoice {...props} />}
      columns={COLUMNS}
      empty={emptyText(props)}
      foot={<Pages {...props} events={events} />}
    >
      {events.edges.map(({ node }) => (
        <EventRow key={node.id} {...props} event={node} />
      ))}
    </TableCard>
  );
}

function emptyText({ address }: ViewProps): string {
  if (address.after !== null) return 'There are no older events.';
  return address.alert === null ? 'Nothing has fired yet.' : `${address.alert} has not fired yet.`;
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

function EventRow(props: ViewProps & { readonly event: AlertEvent }) {
  const { event, moments, address } = props;
  const { alert, startedAt, endedAt } = event;
  return (
    <tr>
      <td data-name="Began">{moments.full(startedAt)}</td>
      <td data-name="Ended">
        {endedAt === null ? (
          <strong>firing</strong>
        ) : (
          <span title={moments.full(endedAt)}>
            after {longDuration(endedAt - startedAt) || '0 seconds'}
          </span>
        )}
      </td>
      <td data-name="Severity">
        <SeverityMark severity={alert.severity} />
      </td>
      <td class="is-long" data-name="Rule" title={`${isolated(alert.name)}: ${alert.condition}`}>
        {alert.name}
      </td>
      <th scope="row">
        <EventKey {...props} />
      </th>
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
    </tr>
  );
}

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
