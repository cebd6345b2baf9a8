import { conditionText } from '../../data/alerts/alert-words.ts';
import type { RuleInChart } from '../../data/alerts/chart-rules.ts';
import type { Watched } from '../../data/alerts/watched.ts';
import { Icon } from '../../parts/icon.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { Popover } from '../../parts/popover.tsx';
import { IN_NO_VIEW, type ViewProps } from '../view-props.ts';
import { SeverityMark } from './severity-mark.tsx';

type ChartRulesMenuProps = ViewProps & {
  readonly watched: Watched;
  readonly rules: readonly RuleInChart[];
  readonly span: { readonly from: number };
};

/** Lists the rules of a chart, and how the chart shows each. */
export function ChartRulesMenu(props: ChartRulesMenuProps) {
  const { rules, watched, span, moments } = props;
  if (rules.length === 0) return null;
  return (
    <Popover
      class="is-right is-rules"
      name="Alert rules of this chart"
      label={
        <>
          <Icon name="bell" />
          <span>
            {rules.length}
            <span class="chart-rules-word"> alert {rules.length === 1 ? 'rule' : 'rules'}</span>
          </span>
        </>
      }
    >
      {() => (
        <>
          <ul class="chart-rules">
            {rules.map((ruleInChart) => (
              <RuleItem key={ruleInChart.rule.id} {...props} ruleInChart={ruleInChart} />
            ))}
          </ul>
          {watched.knownFrom > span.from && (
            <p class="hint">Some events before {moments.full(watched.knownFrom)} are not marked.</p>
          )}
        </>
      )}
    </Popover>
  );
}

function RuleItem({
  ruleInChart,
  address,
  navigate,
}: ViewProps & { readonly ruleInChart: RuleInChart }) {
  const { rule, line, marks } = ruleInChart;
  const target = { ...IN_NO_VIEW, view: 'alerts', alert: rule.name } as const;
  return (
    <li>
      <p>
        <SeverityMark severity={rule.severity} />{' '}
        <a href={navigate.link(target)} onClick={onPlainClick(() => navigate.go(target))}>
          {rule.name}
        </a>
        : {conditionText(rule, address.units)}
      </p>
      <p class="hint">
        {line.why === null ? 'Drawn as a line' : `No line: ${line.why}`}. {marksText(marks)}
      </p>
    </li>
  );
}

const marksText = (marks: number): string =>
  marks === 0
    ? 'No events began in this window.'
    : `${marks} ${marks === 1 ? 'event is' : 'events are'} marked.`;

/** For screen readers; empty without lines and marks. */
export function rulesSentence(rules: readonly RuleInChart[]): string {
  const lines = rules.flatMap(({ rule, line }) => (line.at === null ? [] : [rule.name]));
  const marks = rules.reduce((sum, rule) => sum + rule.marks, 0);
  const drawn = lines.length > 0 ? ` Lines of alert rules: ${lines.join(', ')}.` : '';
  return marks > 0 ? `${drawn} ${marksText(marks)}` : drawn;
}
