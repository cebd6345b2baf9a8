import { useMemo } from 'preact/hooks';
import { Trend } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { explainRefusal } from '../../data/refusal.ts';
import type { Terms } from '../../data/row-figures.ts';
import { type ShownTrend, shownTrend } from '../../data/trend/shown-trend.ts';
import { trendVariables } from '../../data/trend/trend-question.ts';
import { counted } from '../../format/counted.ts';
import { FaultNotice } from '../../parts/notice.tsx';
import { useRefreshedBy } from '../alerts/use-alerts.ts';
import { NoAnswerNotice } from '../no-answer-notice.tsx';
import { TopSkeleton } from '../top/top-skeleton.tsx';
import { useOutcome } from '../use-outcome.ts';
import type { ViewProps } from '../view-props.ts';
import { EmptyTrend } from './empty-trend.tsx';
import { TrendControls } from './trend-controls.tsx';
import { TrendResults } from './trend-results.tsx';

/** Shows how the ranks of keys change over time. */
export function TrendView(props: ViewProps) {
  const { address, session, choice } = props;
  const asked = useAnswer(Trend, trendVariables(address, choice), session);
  const { data, variables, problems, fault, isLoading, reload } = asked;
  useRefreshedBy(isLoading, props.alerts);
  const shown = useMemo(() => shownTrend(data, variables), [data, variables]);
  useOutcome(asked, props, shown && { subject: shown.asked, span: shown.stored });
  const [problem] = problems;
  return (
    <div class="view" aria-busy={isLoading}>
      <TrendControls
        {...props}
        span={shown?.window ?? null}
        labels={shown?.labels ?? NO_LABELS}
        isLoading={isLoading}
        refusal={explainRefusal(problem?.message ?? '', address)}
        onReload={reload}
      />
      <p class="sr-only" role="status">
        {isLoading ? 'Loading …' : fault || !shown ? '' : statusOf(shown)}
      </p>
      <div class={`results ${isLoading && shown ? 'is-stale' : ''}`}>
        {fault ? (
          <FaultNotice isView fault={fault} onRetry={reload} />
        ) : shown ? (
          shown.rows.length > 0 ? (
            <TrendResults {...props} shown={shown} terms={termsOf(shown, address)} />
          ) : (
            <EmptyTrend {...props} shown={shown} terms={termsOf(shown, address)} />
          )
        ) : isLoading && !problem ? (
          <TopSkeleton rows={address.items} />
        ) : (
          <NoAnswerNotice
            {...props}
            answer={data}
            fault={problem ? faultOfProblem(problem) : null}
            onReload={reload}
          />
        )}
      </div>
    </div>
  );
}

const termsOf = ({ kind, measure, group }: ShownTrend, { units }: ViewProps['address']): Terms => ({
  kind,
  measure,
  units,
  topperBucketSize: group.topperBucketSize,
});

const NO_LABELS: ReadonlyMap<string, string> = new Map();

const statusOf = ({ rows, steps, group }: ShownTrend): string =>
  `Shown: ${counted(rows.length, 'key')} of ${group.name} in ${counted(steps.length, 'step')}.`;
