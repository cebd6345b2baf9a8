import { useMemo } from 'preact/hooks';
import { chartScale } from '../../chart/chart-scale.ts';
import { TimeChart } from '../../chart/time-chart.tsx';
import { type RulesInChart, rulesInChart } from '../../data/alerts/chart-rules.ts';
import type { ComparedChart } from '../../data/earlier.ts';
import { addsUp, WHY_NO_STACK } from '../../data/meter-kind.ts';
import { longDuration } from '../../format/moment.ts';
import { ChartRulesMenu, rulesSentence } from '../alerts/chart-rules-menu.tsx';
import { EarlierKey } from '../earlier-key.tsx';
import { useEarlier } from '../use-earlier.ts';
import type { ResultsProps } from './results-props.ts';

type TopChartProps = ResultsProps & {
  readonly onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

/** The largest keys over time, with all others on top: the stack is the total. */
export function TopChart(props: TopChartProps) {
  const { shown, address, navigate, terms, theme, moments, onCanvas } = props;
  const { chart, kind, table } = shown;
  const why = WHY_NO_STACK[kind];
  const scale = chartScale(addsUp(kind), terms.measure, address.units);
  const { drawn, rules } = useRulesInChart(props);
  const earlier = useEarlier(props, comparedChart(props));
  return (
    <section class="card chart-card" aria-label="Top keys over time">
      <div class="card-head">
        <h2>
          {addsUp(kind) ? `Rate in ${scale.name}` : scale.name}
          <span> · one value per {longDuration(chart.step).replace(/^1 /, '')}</span>
        </h2>
        {chart.others && (
          <label class="check">
            <input
              type="checkbox"
              checked={address.others}
              onChange={() => navigate.amend({ others: !address.others })}
            />
            <span>Others on top, up to the total</span>
          </label>
        )}
        <ChartRulesMenu {...props} rules={rules} span={table.window} />
        <p class="hint wide-only">Drag over the chart to zoom in</p>
      </div>
      {why && <p class="chart-why">{why}</p>}
      <TimeChart
        data={chart}
        span={table.window}
        withOthers={address.others}
        grain={shown.group.bucketSize}
        factor={scale.factor}
        style={{
          theme: theme.theme,
          zone: moments.zone,
          base: address.units.base,
          unit: scale.name,
          formatValue: scale.formatValue,
        }}
        rules={drawn}
        earlier={earlier.line}
        height={CHART_HEIGHT}
        label={`${addsUp(kind) ? 'Stack' : 'Lines'} of the ${chart.lines.length} ${shown.ranking.by === 'metric' ? 'largest' : 'first'} keys over time. The table below lists their values. Arrow keys move through time, Shift with an arrow key selects, and Enter zooms in.${rulesSentence(rules)}`}
        formatTime={moments.range}
        onZoom={({ from, to }) => navigate.go({ window: { kind: 'interval', from, to } })}
        onCanvas={onCanvas}
      />
      <EarlierKey earlier={earlier} address={address} />
    </section>
  );
}

const CHART_HEIGHT = 280;

/** What the line of the earlier window is of: what the stack consists of. null: there is none. */
function comparedChart({ shown, address }: ResultsProps): ComparedChart | null {
  const { kind, chart, table, group, hidden } = shown;
  const isLimited = address.filters.length > 0 || hidden.length > 0;
  if (!chart.others || (address.others && isLimited)) return null;
  const { bucketSize } = group;
  const keys = address.others ? null : chart.lines.map(({ key }) => key);
  return { kind, step: chart.step, bucketSize, window: table.window, keys };
}

function useRulesInChart({ shown, address, terms, watched }: TopChartProps): RulesInChart {
  const { chart, kind, table, hidden, prefix } = shown;
  const { from, to } = table.window;
  const isTotal = address.others && hidden.length === 0;
  return useMemo(() => {
    const shows = addsUp(kind) ? ({ kind: 'stack', isTotal } as const) : LINES;
    const { topperBucketSize } = terms;
    const of = prefix ? 'networks' : 'keys';
    const watching = { kind, step: chart.step, topperBucketSize, of, shows } as const;
    return rulesInChart(watched, watching, { span: { from, to }, key: null });
  }, [watched, kind, chart.step, terms.topperBucketSize, prefix !== null, isTotal, from, to]);
}

const LINES = { kind: 'lines' } as const;
