import { seriesColor, type Theme } from '../../chart/palette.ts';
import { Swatch } from '../../chart/readout.tsx';
import { type DrawnData, meanOf } from '../../data/drawn-data.ts';
import type { ChartFocus } from './use-chart-focus.ts';

type ChartLegendProps = {
  /** All layers, also if only one of them is drawn. */
  readonly data: DrawnData;
  readonly focus: ChartFocus;
  readonly theme: Theme;
  readonly formatValue: (value: number) => string;
};

/** The layers of the chart by name, with their means. A click draws one alone, or all again. */
export function ChartLegend({ data, focus, theme, formatValue }: ChartLegendProps) {
  const alone = data.layers.find(({ key }) => key === focus.only);
  return (
    <>
      <ul class="chart-legend" aria-label="Keys in the chart, with their means">
        {data.layers.map((layer) => {
          const mean = meanOf(layer, data);
          const isOther = alone !== undefined && alone !== layer;
          return (
            <li key={layer.key}>
              <button
                type="button"
                class={isOther ? 'is-off' : ''}
                aria-pressed={alone === layer}
                title={alone === layer ? 'Draw all again' : `Draw only ${layer.label}`}
                onClick={() => focus.pick(layer.key)}
                onMouseEnter={() => focus.hover(layer.key)}
                onMouseLeave={() => focus.hover(null)}
                onFocus={() => focus.hover(layer.key)}
                onBlur={() => focus.hover(null)}
              >
                <Swatch color={seriesColor(theme, layer.color)} />
                <bdi>{layer.label}</bdi>
                <span class="number">{mean === null ? '–' : formatValue(mean)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <p class="sr-only" role="status">
        {alone ? `Only ${alone.label} is drawn.` : ''}
      </p>
    </>
  );
}
