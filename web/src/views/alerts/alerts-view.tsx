import { useEffect } from 'preact/hooks';
import { AlertHistory } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import {
  type AlertEvent,
  compareEvents,
  firingEvents,
  firingMark,
} from '../../data/alerts/firing.ts';
import { historyVariables } from '../../data/alerts/history.ts';
import { alertsQuery } from '../../data/view-as/asked-queries.ts';
import { IconButton } from '../../parts/icon.tsx';
import { FaultNotice } from '../../parts/notice.tsx';
import { NoAnswerNotice } from '../no-answer-notice.tsx';
import { useOutcome } from '../use-outcome.ts';
import { ViewAs, type ViewForms } from '../view-as/view-as.tsx';
import type { ViewProps } from '../view-props.ts';
import { type AlertsViewProps, mayMakeRules } from './alerts-props.ts';
import { FiringTable } from './firing-table.tsx';
import { type EventPage, HistoryTable } from './history-table.tsx';
import { NewRuleLink } from './new-rule-link.tsx';
import { NoRulesNotice } from './no-rules-notice.tsx';
import { RuleEditor } from './rule-editor.tsx';
import { RuleTable } from './rule-table.tsx';
import { SinkTable } from './sink-table.tsx';
import { useRefreshedBy } from './use-alerts.ts';

/** What is firing, the rules, and the history. */
export function AlertsView(props: ViewProps) {
  const { address, session, alerts } = props;
  const asked = useAnswer(AlertHistory, historyVariables(address), session);
  const { data, problems, fault, isLoading, reload, refresh } = asked;
  useOutcome(asked, props);
  useRefreshedBy(isLoading, alerts);
  const mark = alerts.rules && firingMark(alerts.rules);
  useEffect(() => {
    // The history also contains what began or ended.
    if (mark !== null && data) refresh();
  }, [mark]);
  const [problem] = problems;
  const broken = fault ?? (alerts.rules ? null : alerts.fault);
  if (broken) return <FaultNotice isView fault={broken} onRetry={reload} />;
  if (!isLoading && !data?.context) {
    return (
      <NoAnswerNotice
        {...props}
        answer={data}
        fault={problem ? faultOfProblem(problem) : null}
        onReload={reload}
      />
    );
  }
  const onChanged = () => {
    alerts.refresh();
    refresh();
  };
  const own = { ...props, sinks: data?.context?.alertSinks ?? null, onChanged };
  if (address.draft) {
    return data && alerts.rules ? (
      <RuleEditor key={JSON.stringify(address.draft)} {...own} draft={address.draft} />
    ) : (
      <EditorSkeleton />
    );
  }
  const events = data?.context?.alertEvents ?? null;
  const hasRules = alerts.rules === null || alerts.rules.length > 0;
  const hasEvents = events === null || events.edges.length > 0 || address.after !== null;
  return (
    <div class={`view ${isLoading && events ? 'is-stale' : ''}`} aria-busy={isLoading}>
      <AlertsHead {...own} isLoading={isLoading} onReload={reload} />
      <p class="sr-only" role="status">
        {isLoading ? 'Loading …' : ''}
      </p>
      {hasRules ? (
        <>
          <FiringTable {...own} events={alerts.rules && firingEvents(alerts.rules)} />
          <RuleTable {...own} />
          <SinkTable {...own} />
        </>
      ) : events && events.edges.length > 0 && !mayMakeRules(own) ? (
        // Who sees only a part of a context sees what fires there, but no rules.
        <FiringTable {...own} events={firingIn(events)} />
      ) : (
        <NoRulesNotice {...own} />
      )}
      {(hasRules || hasEvents) && <HistoryTable {...own} events={events} />}
    </div>
  );
}

const firingIn = ({ edges }: EventPage): readonly AlertEvent[] =>
  edges
    .map(({ node }) => node)
    .filter(({ endedAt }) => endedAt === null)
    .sort(compareEvents);

const EditorSkeleton = () => (
  <div class="view" aria-busy="true">
    <div class="skeleton" aria-hidden="true">
      <span class="bone is-list" />
    </div>
  </div>
);

type HeadProps = AlertsViewProps & { readonly isLoading: boolean; readonly onReload: () => void };
const alertForms = (address: ViewProps['address']): ViewForms => ({
  query: alertsQuery(address, historyVariables(address).events),
  rest: { why: 'REST knows no alerts.' },
  csv: null,
  span: null,
});

function AlertsHead(props: HeadProps) {
  const { address, navigate, moments, alerts, isLoading, onReload } = props;
  const { fault, rules } = alerts;
  const hasRules = rules !== null && rules.length > 0;
  return (
    <div class="storage-head">
      <div>
        <h1>
          Alerts <span>of {address.context}</span>
        </h1>
        <p class="hint">
          {fault
            ? `Firing events may be outdated: ${fault.message}.`
            : `Each time is the end of the evaluated window, in ${moments.zone}`}
        </p>
      </div>
      <div class="alerts-buttons">
        {mayMakeRules(props) && hasRules && <NewRuleLink {...props} />}
        <ViewAs {...props} formsOf={() => alertForms(address)} />
        <IconButton icon="reload" name="Reload" disabled={isLoading} onClick={onReload} />
        {hasRules && (
          <button
            type="button"
            class={`button is-live ${liveClass(props)}`}
            aria-pressed={address.live}
            title={address.live ? 'Stop following alerts' : 'Follow alerts as they begin and end'}
            onClick={() => navigate.go({ live: !address.live })}
          >
            <span class="live-dot" aria-hidden="true" />
            Live
          </button>
        )}
      </div>
    </div>
  );
}

/** While nothing fires, an open stream has no message: it counts as open until it is lost. */
function liveClass({ address, alerts }: HeadProps): string {
  if (!address.live) return 'is-off';
  return alerts.stream.kind === 'lost' ? 'is-lost' : 'is-open';
}
