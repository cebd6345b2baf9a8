import type { RefObject } from 'preact';
import { valueName } from '../../data/ranking-words.ts';
import { wholeQuantity } from '../../data/row-figures.ts';
import type { TrendRow } from '../../data/trend/shown-trend.ts';
import { formatShare, joined } from '../../format/quantity.ts';
import type { TrendProps } from './trend-props.ts';
import type { CellPlace } from './use-heat-cursor.ts';

type HeatReadoutProps = TrendProps & {
  readonly rows: readonly TrendRow[];
  readonly cursor: CellPlace | null;
  /** The element in which the map scrolls. */
  readonly place: RefObject<HTMLDivElement | null>;
  readonly cellWidth: number;
  readonly rowHeight: number;
};

/** Shows the values of the cell under the cursor, next to it. */
export function HeatReadout(props: HeatReadoutProps) {
  const { shown, rows, cursor, moments, terms } = props;
  const row = cursor && rows[cursor.row];
  const step = cursor && shown.steps[cursor.column];
  const cell = cursor && row?.cells[cursor.column];
  return (
    <div class="readout-live" aria-live="polite">
      {row && step && (
        <div class="readout" style={besides(cursor, props)}>
          <p class="readout-time">{moments.range(step.from, step.to)}</p>
          <p>
            <strong>{row.name}</strong>
          </p>
          {cell ? (
            <ul>
              <Line name="Rank" text={String(cell.rank)} />
              <Line
                name={valueName(shown.meter)}
                text={joined(wholeQuantity(cell.metric, terms))}
              />
              {cell.share !== null && <Line name="Share" text={formatShare(cell.share)} />}
            </ul>
          ) : (
            <p>not among the top {shown.items}</p>
          )}
        </div>
      )}
    </div>
  );
}

const Line = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <li>
    <span class="readout-label">{name}</span>
    <span class="number">{text}</span>
  </li>
);

/** Width reserved for a readout, in pixels. */
const READOUT_WIDTH = 240;

/** Places the readout to the right of the cell, or to the left if it does not fit there. */
function besides(
  { row, column }: CellPlace,
  { place, cellWidth, rowHeight }: Pick<HeatReadoutProps, 'place' | 'cellWidth' | 'rowHeight'>,
) {
  const { scrollLeft = 0, offsetLeft = 0, clientWidth = 0 } = place.current ?? {};
  const left = offsetLeft + column * cellWidth - scrollLeft;
  const width = offsetLeft + clientWidth;
  return {
    '--top': `${(row + 1) * rowHeight + 8}px`,
    ...(left + cellWidth + READOUT_WIDTH > width
      ? { '--right': `${width - left + 8}px` }
      : { '--left': `${left + cellWidth + 8}px` }),
  };
}
