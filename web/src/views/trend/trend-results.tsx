import type { Address } from '../../address/address.ts';
import { heatColors, heatEmpty } from '../../chart/palette.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { type HeatOf, largestShare } from '../../data/trend/heat-levels.ts';
import { trendQuery } from '../../data/view-as/asked-queries.ts';
import { saveFile } from '../../export/save-file.ts';
import { trendCsv } from '../../export/trend-csv.ts';
import { counted } from '../../format/counted.ts';
import { longDuration } from '../../format/moment.ts';
import { formatShare } from '../../format/quantity.ts';
import { Radios } from '../../parts/choice.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ViewAs, type ViewForms } from '../view-as/view-as.tsx';
import { HeatMap } from './heat-map.tsx';
import { StepTable } from './step-table.tsx';
import type { TrendProps } from './trend-props.ts';
import { TrendTable } from './trend-table.tsx';

/** The heat map, or the same as a table, and a summary of each key over all steps. */
export function TrendResults(props: TrendProps) {
  const { shown, address, navigate, moments } = props;
  const { group, meter, window, every, steps } = shown;
  const of: HeatOf = addsUp(shown.kind) ? address.color : 'rank';
  return (
    <>
      <section class="summary" aria-label="Summary">
        <div class="summary-head">
          <h1>
            <bdi>{group.name}</bdi>{' '}
            <span>
              by <bdi>{meter.name}</bdi>, ranks over time
            </span>
          </h1>
          <p class="summary-window">
            <time dateTime={new Date(window.from * 1000).toISOString()}>
              {moments.range(window.from, window.to)}
            </time>
            <span>
              {longDuration(window.to - window.from)} · {moments.name(window.from, window.to)}
            </span>
          </p>
        </div>
        <div class="summary-end">
          <ViewAs {...props} formsOf={() => formsOf(props)} />
          <button type="button" class="button" onClick={() => saveCsv(props)}>
            <Icon name="save" /> Save as CSV
          </button>
        </div>
      </section>
      <section class="card trend-card" aria-label="Ranks over time">
        <div class="card-head">
          <h2>
            The top {shown.items} of each step{' '}
            <span>
              · {counted(steps.length, 'step')} of {longDuration(every)}
            </span>
          </h2>
          {addsUp(shown.kind) && address.form === 'map' && (
            <Radios
              legend="Colour"
              name="color"
              value={of}
              options={COLORS}
              onChoose={(color) => navigate.amend({ color })}
            />
          )}
          <Radios
            legend="Show as"
            name="form"
            value={address.form}
            options={FORMS}
            onChoose={(form) => navigate.amend({ form })}
          />
        </div>
        {address.form === 'map' ? (
          <>
            <HeatMap {...props} of={of} />
            <Legend {...props} of={of} />
          </>
        ) : (
          <StepTable {...props} />
        )}
      </section>
      <TrendTable {...props} />
    </>
  );
}

const COLORS = [
  { value: 'rank', label: 'Rank' },
  { value: 'share', label: 'Share' },
] as const satisfies readonly { value: Address['color']; label: string }[];

const FORMS = [
  { value: 'map', label: 'Map' },
  { value: 'table', label: 'Table' },
] as const satisfies readonly { value: Address['form']; label: string }[];

/** What the colours mean. */
function Legend({ shown, of, theme }: TrendProps & { readonly of: HeatOf }) {
  const { items, rows } = shown;
  const [strongest, faintest] =
    of === 'rank' ? ['1st', `${items}th`] : [formatShare(largestShare(rows)), '0 %'];
  return (
    <p class="heat-legend hint">
      <span>{strongest}</span>
      <span class="heat-ramp" aria-hidden="true">
        {heatColors(theme.theme).map((color) => (
          <span key={color} style={{ backgroundColor: color }} />
        ))}
      </span>
      <span>{faintest}</span>
      <span class="heat-none">
        <span class="swatch" style={{ backgroundColor: heatEmpty(theme.theme) }} />
        not among the top {items}
      </span>
      <span class="wide-only">Click a cell to see the key in that step</span>
    </p>
  );
}

function csvOf({ shown, address }: TrendProps) {
  const time = (at: number) => new Date(at * 1000).toISOString().slice(0, 16);
  const { window, group, meter } = shown;
  const name = [address.context, group.name, meter.name, 'trend', time(window.from)]
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return { name, text: trendCsv({ shown, context: address.context }) };
}

function saveCsv(props: TrendProps): void {
  const { name, text } = csvOf(props);
  saveFile(`${name}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }));
}

const formsOf = (props: TrendProps): ViewForms => ({
  query: trendQuery(props.address, props.choice),
  rest: { why: 'REST knows one window at a time, not the steps of a trend.' },
  csv: csvOf(props),
  span: props.shown.window,
});
