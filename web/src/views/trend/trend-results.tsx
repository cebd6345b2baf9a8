import type { Address } from '../../address/address.ts';
import { heatColors, heatEmpty } from '../../chart/palette.ts';
import { addsUp } from '../../data/meter-kind.ts';
import { type HeatOf, largestShare } from '../../data/trend/heat-levels.ts';
import { counted } from '../../format/counted.ts';
import { longDuration } from '../../format/moment.ts';
import { formatShare } from '../../format/quantity.ts';
import { Radios } from '../../parts/choice.tsx';
import { HeatMap } from './heat-map.tsx';
import { StepTable } from './step-table.tsx';
import type { TrendProps } from './trend-props.ts';
import { TrendSummary } from './trend-summary.tsx';
import { TrendTable } from './trend-table.tsx';

/** The heat map, or the same as a table, and a summary of each key over all steps. */
export function TrendResults(props: TrendProps) {
  const { shown, address, navigate } = props;
  const { every, steps } = shown;
  const of: HeatOf = addsUp(shown.kind) ? address.color : 'rank';
  return (
    <>
      <TrendSummary {...props} />
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
    of === 'rank'
      ? ['1st', `${items}th`]
      : [`${formatShare(largestShare(rows))} of the step’s total`, '0 %'];
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
