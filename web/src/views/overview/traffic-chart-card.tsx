import { useState } from 'preact/hooks';
import { chartScale } from '../../chart/chart-scale.ts';
import { MirrorChart, mirrorValues, swatchColor } from '../../chart/mirror-chart.tsx';
import type { MirrorData } from '../../chart/mirror-options.ts';
import { Swatch } from '../../chart/readout.tsx';
import { earlierTimes } from '../../data/overview/compared-times.ts';
import { type ShownTraffic, termsOf } from '../../data/overview/shown-overview.ts';
import { sentenceCase, trafficParts, trafficWords } from '../../data/overview/traffic-words.ts';
import { wholeQuantity } from '../../data/row-figures.ts';
import { allDigits } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import { measureOf } from '../../format/quantity.ts';
import { Choice } from '../../parts/choice.tsx';
import { Figure } from '../../parts/figure.tsx';
import type { OverviewProps } from './overview-props.ts';

export type TrafficChartProps = OverviewProps & {
  readonly traffic: ShownTraffic;
  readonly data: MirrorData;
  /** Called with the canvas, for pictures. */
  readonly onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

/** The traffic over time, with an earlier time as a line. */
export function TrafficChartCard(props: TrafficChartProps) {
  const { shown, traffic, data, address, navigate, moments, theme, onCanvas } = props;
  const { meter, group } = traffic.subject;
  const scale = chartScale(true, measureOf(meter.units), address.units);
  const style = {
    theme: theme.theme,
    zone: moments.zone,
    base: address.units.base,
    unit: scale.name,
    formatValue: scale.formatValue,
  };
  return (
    <section class="card chart-card" aria-label="Traffic over time">
      <div class="card-head">
        <h2>
          Rate in {scale.name}
          <span> · one value per {longDuration(traffic.chart.step).replace(/^1 /, '')}</span>
        </h2>
        <Legend {...props} />
        <LineChoice {...props} />
        <p class="hint wide-only">Drag over the chart to zoom in</p>
      </div>
      <MirrorChart
        data={data}
        span={shown.window}
        grain={group.bucketSize}
        factor={scale.factor}
        style={style}
        height={CHART_HEIGHT}
        label={`${trafficWords(traffic).title} over time: ${data.areas.map(({ label, isBelow }) => `${label} ${isBelow ? 'below' : 'above'} the axis`).join(', ')}. The table below lists the values. Arrow keys move through time, Shift with an arrow key selects, and Enter zooms in.`}
        formatTime={moments.range}
        onCanvas={onCanvas}
        onZoom={({ from, to }) => navigate.go({ window: { kind: 'interval', from, to } })}
      />
      <ValueTable data={data} factor={scale.factor} style={style} formatTime={moments.range} />
    </section>
  );
}

const CHART_HEIGHT = 280;

/** What the areas and the line are, and how much each direction is. */
function Legend({ shown, traffic, data, theme, address, moments }: TrafficChartProps) {
  const { from, to } = shown.window;
  const { group, meter } = traffic.subject;
  const terms = termsOf(group, meter.index, address.units);
  const parts = trafficParts(traffic);
  return (
    <ul class="overview-legend">
      {parts.length > 1 &&
        parts.map(({ label, color, amount }) => (
          <li key={label}>
            <Swatch color={swatchColor(theme.theme, color)} />
            {label}{' '}
            <Figure
              quantity={wholeQuantity(amount, terms)}
              title={`${allDigits(amount)} ${meter.units}`}
            />
          </li>
        ))}
      {data.earlier && (
        <li>
          <span class="swatch is-line" />
          {data.earlier.label}: {moments.range(from - data.earlier.ago, to - data.earlier.ago)}
        </li>
      )}
    </ul>
  );
}

/** Which of two earlier times is drawn. */
function LineChoice({ shown, address, navigate }: TrafficChartProps) {
  const [first, second] = earlierTimes(shown.window);
  if (!second) return null;
  return (
    <Choice
      label="Line"
      class="is-inline"
      value={address.compare === 'week' ? 'week' : 'day'}
      options={[
        { value: 'day', label: sentenceCase(first.name) },
        { value: 'week', label: sentenceCase(second.name) },
      ]}
      onChoose={(value) => navigate.amend({ compare: value === 'week' ? 'week' : 'day' })}
    />
  );
}

type ValueTableProps = Parameters<typeof mirrorValues>[0] & {
  readonly formatTime: (from: number, to: number) => string;
};

/** The values of the chart for those who do not see it; written once it is opened. */
function ValueTable({ formatTime, ...drawn }: ValueTableProps) {
  const [isOpen, setOpen] = useState(false);
  const { times, ends } = drawn.data;
  const names = mirrorValues(drawn, 0).map(({ label }) => label);
  return (
    <details class="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>These values as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
        <div class="table-scroll" tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {names.map((name) => (
                  <th key={name} scope="col" class="is-number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ends.map((end, step) => (
                <tr key={end}>
                  <th scope="row">{formatTime(times[step] ?? end, end)}</th>
                  {mirrorValues(drawn, step).map(({ label, text }) => (
                    <td key={label} class="is-number">
                      {text}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
