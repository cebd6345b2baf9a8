import { AlertHistory } from '../../../generated/operations.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { keylessText } from '../../data/alerts/alert-words.ts';
import { eventAddress } from '../../data/alerts/event-address.ts';
import { type AlertEvent, compareEvents, firingEvents } from '../../data/alerts/firing.ts';
import { groupOf } from '../../data/choices.ts';
import { shownLabel } from '../../data/key-parts.ts';
import { nodeOf } from '../../data/questions.ts';
import { counted } from '../../format/counted.ts';
import { SeverityMark } from '../alerts/severity-mark.tsx';
import { OverviewLink } from './overview-link.tsx';
import type { OverviewProps } from './overview-props.ts';

/** Maximum number of events that are listed. */
const LISTED = 4;

/** Number of the newest events, of which those that began in the window are listed. */
const ASKED = 100;

/** What fires now, and what fired in the time that is shown. */
export function StatusAlerts(props: OverviewProps) {
  const { rules, fault } = props.alerts;
  const firing = firingEvents(rules ?? []);
  const fired = useFired(props);
  return (
    <div class="status-part">
      <h2>Alerts</h2>
      {rules === null ? (
        <p class="hint">{fault ? `Not known: ${fault.message}.` : 'Loading …'}</p>
      ) : firing.length === 0 ? (
        <p>
          {rules.length === 0 && fired.length === 0
            ? 'No rule that you may see watches this context.'
            : 'Nothing is firing.'}
        </p>
      ) : (
        <Events {...props} events={firing} />
      )}
      {fired.length > 0 && (
        <>
          <p>{counted(fired.length, 'event')} in this time:</p>
          <Events {...props} events={fired} />
        </>
      )}
      {(firing.length > 0 || fired.length > 0 || (rules ?? []).length > 0) && (
        <p class="hint">
          <OverviewLink {...props} target={{ view: 'alerts' }}>
            {firing.length > LISTED
              ? `All ${firing.length} that fire`
              : `${counted((rules ?? []).length, 'rule')} and what fired before`}
          </OverviewLink>
        </p>
      )}
    </div>
  );
}

/** Returns the events that began in the window and have ended, those that matter most first. */
function useFired({ address, session, shown }: OverviewProps): readonly AlertEvent[] {
  const question = { ...nodeOf(address), alert: null, events: ASKED, after: null };
  const { data } = useAnswer(AlertHistory, question, session);
  const { from, to } = shown.window;
  return (data?.context?.alertEvents.edges ?? [])
    .map(({ node }) => node)
    .filter(({ startedAt, endedAt }) => endedAt !== null && startedAt > from && startedAt <= to)
    .sort(compareEvents);
}

const Events = ({
  events,
  ...props
}: OverviewProps & { readonly events: readonly AlertEvent[] }) => (
  <ul>
    {events.slice(0, LISTED).map((event) => (
      <Event key={event.id} {...props} event={event} />
    ))}
  </ul>
);

function Event(props: OverviewProps & { readonly event: AlertEvent }) {
  const { event, choice, moments } = props;
  const { alert, key, startedAt, endedAt } = event;
  const group = groupOf(choice, alert.counterGroup.guid) ?? { crosskey: null };
  const name = key ? shownLabel(key, group) : keylessText(alert);
  return (
    <li>
      <SeverityMark severity={alert.severity} />{' '}
      <OverviewLink {...props} target={{ view: 'alerts', alert: alert.name }}>
        {alert.name}
      </OverviewLink>
      :{' '}
      <OverviewLink {...props} target={eventAddress(event, choice?.totalWindow?.to ?? null)}>
        {name}
      </OverviewLink>
      <span class="hint">
        {endedAt === null ? ` since ${moments.full(startedAt)}` : ` ${moments.full(startedAt)}`}
      </span>
    </li>
  );
}
