import { ruleColor, seriesColor, type Theme } from './palette.ts';
import type { RuleMark } from './rule-marks.ts';

/** The values of a chart at one time. */
export type Reading = {
  readonly time: string;
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly color: number;
    readonly text: string;
  }[];
  readonly total: string | null;
  /** What an earlier window had at that time. */
  readonly earlier: { readonly name: string; readonly time: string; readonly text: string } | null;
  /** Events that began at that time. */
  readonly events: readonly RuleMark[];
  readonly theme: Theme;
};

type ReadoutProps = {
  readonly reading: Reading | null;
  /** The id of the layer that stands out. */
  readonly highlighted: string | null;
  /** Cursor position in the plot, in pixels, and whether it is in the chart's right half. */
  readonly left: number;
  readonly isRight: boolean;
};

/** Maximum number of events that fit. */
const MOST_EVENTS = 4;

/** Shows the values under the cursor, next to it. */
export function Readout({ reading, highlighted, left, isRight }: ReadoutProps) {
  // The styles decide whether there is room for this.
  const place = isRight
    ? { '--right': `calc(100% - ${left}px - 70px)` }
    : { '--left': `${left + 96}px` };
  return (
    <div class="readout-live" aria-live="polite">
      {reading && (
        <div class="readout" style={place}>
          <p class="readout-time">{reading.time}</p>
          <ul>
            {reading.rows.map(({ key, label, color, text }) => (
              <li key={key} class={key === highlighted ? 'is-highlighted' : ''}>
                <Swatch color={seriesColor(reading.theme, color)} />
                <span class="readout-label">{label}</span>
                <span class="number">{text}</span>
              </li>
            ))}
            {reading.total !== null && (
              <li class="readout-total">
                <span class="swatch" />
                <span class="readout-label">Total</span>
                <span class="number">{reading.total}</span>
              </li>
            )}
            {reading.earlier && (
              <li class="readout-earlier">
                <span class="swatch is-earlier" />
                <span class="readout-label">
                  {reading.earlier.name}
                  <br />
                  <span class="hint">{reading.earlier.time}</span>
                </span>
                <span class="number">{reading.earlier.text}</span>
              </li>
            )}
            {reading.events.slice(0, MOST_EVENTS).map(({ id, urgency, text }) => (
              <li key={id} class="readout-event">
                <Swatch color={ruleColor(reading.theme, urgency)} />
                <span class="readout-label">{text}</span>
              </li>
            ))}
            {reading.events.length > MOST_EVENTS && (
              <li class="readout-event">
                <span class="swatch" />
                <span class="readout-label">and {reading.events.length - MOST_EVENTS} more</span>
              </li>
            )}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The colour in which a key is drawn. */
export function Swatch({ color }: { readonly color: string }) {
  return <span class="swatch" style={{ backgroundColor: color }} />;
}
