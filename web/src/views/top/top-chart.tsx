import { useMemo } from 'preact/hooks';
import type { ChartForm } from '../../address/address.ts';
import { type ChartScale, chartScale } from '../../chart/chart-scale.ts';
import { TimeChart } from '../../chart/time-chart.tsx';
import { type RulesInChart, rulesInChart } from '../../data/alerts/chart-rules.ts';
import { drawnData, REST } from '../../data/drawn-data.ts';
import type { ComparedChart } from '../../data/earlier.ts';
import { addsUp, WHY_NO_STACK } from '../../data/meter-kind.ts';
import { filterInput } from '../../data/questions.ts';
import { formOf, type Rest, restOf, showsRest } from '../../data/top-layers.ts';
import { longDuration } from '../../format/moment.ts';
import { formatShare } from '../../format/quantity.ts';
import { Radios } from '../../parts/choice.tsx';
import { ChartRulesMenu, rulesSentence } from '../alerts/chart-rules-menu.tsx';
import { EarlierKey } from '../earlier-key.tsx';
import { useEarlier } from '../use-earlier.ts';
import { ChartLegend } from './chart-legend.tsx';
import type { ResultsProps } from './results-props.ts';

type TopChartProps = ResultsProps & {
  readonly onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

/** The largest keys over time, and all others with them: together they are what is selected. */
export function TopChart(props: TopChartProps) {
  const { shown, address, navigate, terms, theme, moments, focus, colors, onCanvas } = props;
  const { chart, kind, table } = shown;
  const why = WHY_NO_STACK[kind];
  const drawing = useMemo(() => drawingOf(shown, address), [shown, address.others, address.chart]);
  const { form, rest, hasRest } = drawing;
  const layers = { form, rest: hasRest ? rest.name : null, colors };
  const all = useMemo(() => drawnData(chart, { ...layers, only: null }), [chart, drawing, colors]);
  const only = all.layers.some(({ key }) => key === focus.only) ? focus.only : null;
  const data = useMemo(() => drawnData(chart, { ...layers, only }), [all, only]);
  const scale = form === 'share' ? SHARES : chartScale(addsUp(kind), terms.measure, address.units);
  const { drawn, rules } = useRulesInChart(props, { ...drawing, only });
  const earlier = useEarlier(props, comparedChart(props, { ...drawing, only }));
  return (
    <section class="card chart-card" aria-label="Top keys over time">
      <div class="card-head">
        <h2>
          {form !== 'share' && addsUp(kind) ? `Rate in ${scale.name}` : scale.name}
          <span> · one value per {longDuration(chart.step).replace(/^1 /, '')}</span>
        </h2>
        {chart.others && (
          <>
            {rest.share > 0 && (
              <label class="check">
                <input
                  type="checkbox"
                  checked={hasRest}
                  onChange={() => navigate.amend({ others: hasRest ? 'off' : 'on' })}
                />
                <span>{rest.name}</span>
              </label>
            )}
            <Radios
              legend="Draw"
              name="chart"
              value={form}
              options={FORMS}
              onChoose={(value) => navigate.amend({ chart: value })}
            />
          </>
        )}
        <ChartRulesMenu {...props} rules={rules} span={table.window} />
        <p class="hint wide-only">Drag over the chart to zoom in</p>
      </div>
      {why && <p class="chart-why">{why}</p>}
      {chart.others && !hasRest && address.others === null && (
        <p class="chart-why">
          {rest.name} are {formatShare(rest.share)} of{' '}
          {address.filters.length > 0 ? 'what passes the filter' : 'all'}. They are left out of the
          chart, so that the keys can be seen.
        </p>
      )}
      <TimeChart
        data={data}
        span={table.window}
        grain={shown.group.bucketSize}
        factor={scale.factor}
        style={{
          theme: theme.theme,
          zone: moments.zone,
          base: form === 'share' ? 1000 : address.units.base,
          unit: scale.name,
          formatValue: scale.formatValue,
        }}
        rules={drawn}
        earlier={earlier.line}
        highlighted={focus.hovered}
        onHover={focus.hover}
        onPick={focus.pick}
        height={CHART_HEIGHT}
        label={`${NAMES[form]} of the ${chart.lines.length} ${shown.ranking.by === 'metric' ? 'largest' : 'first'} keys over time. The table below lists their values. Arrow keys move through time, Shift with an arrow key selects, and Enter zooms in.${rulesSentence(rules)}`}
        formatTime={moments.range}
        onZoom={({ from, to }) => navigate.go({ window: { kind: 'interval', from, to } })}
        onCanvas={onCanvas}
      />
      <ChartLegend
        data={all}
        focus={focus}
        theme={theme.theme}
        formatValue={(value) => scale.formatValue(value * scale.factor)}
      />
      <EarlierKey earlier={earlier} address={address} />
    </section>
  );
}

const CHART_HEIGHT = 280;

const FORMS = [
  { value: 'stack', label: 'Stacked' },
  { value: 'lines', label: 'Lines' },
  { value: 'share', label: '100 %' },
] as const satisfies readonly { value: ChartForm; label: string }[];

const NAMES: Readonly<Record<ChartForm, string>> = {
  stack: 'Stack',
  lines: 'Lines',
  share: 'Shares',
};

const SHARES: ChartScale = { name: 'Share of what is drawn', factor: 1, formatValue: formatShare };

type Drawing = { readonly form: ChartForm; readonly rest: Rest; readonly hasRest: boolean };

function drawingOf(shown: ResultsProps['shown'], address: ResultsProps['address']): Drawing {
  const rest = restOf(shown);
  return { form: formOf(address, shown.kind), rest, hasRest: showsRest(address, rest) };
}

/** only: the id of the layer that is drawn alone; null: all are. */
type DrawnOnly = Drawing & { readonly only: string | null };

/** What the line of the earlier window is of: what the areas are of. null: there is none. */
function comparedChart(
  { shown, address }: ResultsProps,
  { form, hasRest, only }: DrawnOnly,
): ComparedChart | null {
  const { kind, chart, table, group, meter, prefix, asked } = shown;
  if (form === 'share' || only === REST || (form === 'lines' && only === null)) return null;
  const keys = only === null ? chart.lines.map(({ key }) => key) : [only];
  return {
    kind,
    step: chart.step,
    bucketSize: group.bucketSize,
    window: table.window,
    of: { ...asked, meter: meter.index, prefix },
    filter: only === null && hasRest ? filterInput(address.filters, address.hidden) : { keys },
  };
}

function useRulesInChart(
  { shown, address, terms, watched }: TopChartProps,
  { form, hasRest, only }: DrawnOnly,
): RulesInChart {
  const { chart, kind, table, hidden, prefix } = shown;
  const { from, to } = table.window;
  const isWhole = hasRest && only === null && hidden.length === 0 && address.filters.length === 0;
  const isTotal = form === 'stack' && isWhole;
  return useMemo(() => {
    const shows = form === 'lines' ? LINES : ({ kind: 'stack', isTotal } as const);
    const { topperBucketSize } = terms;
    const of = prefix ? 'networks' : 'keys';
    const watching = { kind, step: chart.step, topperBucketSize, of, shows } as const;
    return rulesInChart(watched, watching, { span: { from, to }, key: null });
  }, [watched, kind, chart.step, terms.topperBucketSize, prefix !== null, form, isTotal, from, to]);
}

const LINES = { kind: 'lines' } as const;
