import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { drawHeat } from '../../chart/draw-heat.ts';
import { type HeatOf, largestShare } from '../../data/trend/heat-levels.ts';
import { stepTarget } from '../../data/trend/step-target.ts';
import { timeTicks } from '../../data/trend/time-ticks.ts';
import { MOST_ROWS } from '../../data/trend/trend-question.ts';
import { counted } from '../../format/counted.ts';
import { useWidth } from '../../parts/use-width.ts';
import { HeatReadout } from './heat-readout.tsx';
import type { TrendProps } from './trend-props.ts';
import { type CellPlace, useHeatCursor } from './use-heat-cursor.ts';

type HeatMapProps = TrendProps & { readonly of: HeatOf };

/** Height of a row in pixels. A phone has two lines for a name, and fewer rows. */
const WIDE = { rowHeight: 22, most: MOST_ROWS } as const;
const NARROW = { rowHeight: 30, most: 15 } as const;

/** Width of the cells, beside the names, below which the map is that of a phone. */
const NARROW_CELLS = 320;

/** Minimum width of a cell, to be able to point at it; a map with more cells scrolls sideways. */
const LEAST_WIDTH = 9;

const MOST_WIDTH = 64;

const TICK_WIDTH = 62;

/**
 * A map of keys by steps: the colour shows the rank or the share. Enter or a click opens the step.
 */
export function HeatMap(props: HeatMapProps) {
  const { shown, of, theme, navigate } = props;
  const { steps, items } = shown;
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(place);
  const { rowHeight, most } = width > 0 && width < NARROW_CELLS ? NARROW : WIDE;
  const rows = useMemo(() => shown.rows.slice(0, most), [shown, most]);
  const cellWidth = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width / steps.length));
  const open = ({ row, column }: CellPlace) => {
    const key = rows[row];
    const step = steps[column];
    if (key && step) navigate.go(stepTarget(step, key));
  };
  const size = { rows: rows.length, columns: steps.length, cellWidth, rowHeight };
  const { cursor, handlers } = useHeatCursor(size, open);

  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    const largest = largestShare(shown.rows);
    drawHeat(canvas.current, { ...size, rows, of, items, largest, theme: theme.theme });
  }, [rows, cellWidth, of, theme.theme, width]);

  useScrolling(place, cursor, cellWidth);

  return (
    <>
      <div class="heat" style={{ '--row': `${rowHeight}px` }}>
        <ol class="heat-labels" aria-hidden="true">
          {rows.map(({ key, name }, index) => (
            <li key={key} class={cursor?.row === index ? 'is-under' : ''} title={name}>
              {name}
            </li>
          ))}
        </ol>
        <div class="heat-scroll" ref={place}>
          <div class="heat-plot" style={{ width: `${cellWidth * steps.length}px` }}>
            <div
              class="heat-cells"
              role="img"
              aria-label={`Heat map: the ranks of ${counted(rows.length, 'key')} in ${counted(steps.length, 'step')}. Arrow keys move from cell to cell. Enter opens the key in that step. The tables list the same ranks.`}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: its cursor moves by arrow keys.
              tabIndex={0}
              style={{ height: `${rows.length * rowHeight}px` }}
              {...handlers}
            >
              <canvas ref={canvas} />
              {cursor && <span class="heat-cursor" style={boxOf(cursor, size)} />}
            </div>
            <TimeAxis {...props} cellWidth={cellWidth} />
          </div>
        </div>
        <HeatReadout
          {...props}
          rows={rows}
          cursor={cursor}
          place={place}
          cellWidth={cellWidth}
          rowHeight={rowHeight}
        />
      </div>
      {shown.rows.length > rows.length && (
        <p class="heat-rest hint">
          The map shows the first {rows.length} of {shown.rows.length} keys. The CSV and the table
          of steps list all of them.
        </p>
      )}
    </>
  );
}

/** The times of the columns, as far as they fit. */
function TimeAxis({ shown, moments, cellWidth }: TrendProps & { readonly cellWidth: number }) {
  const ticks = timeTicks({
    starts: shown.steps.map(({ from }) => from),
    every: shown.every,
    apart: Math.ceil(TICK_WIDTH / cellWidth),
    field: moments.field,
  });
  return (
    <div class="heat-axis" aria-hidden="true">
      {ticks.map(({ column, clock, day }) => (
        <span key={column} style={{ left: `${(100 * column) / shown.steps.length}%` }}>
          {clock || day}
          {clock && day && <small>{day}</small>}
        </span>
      ))}
    </div>
  );
}

type CellSize = { readonly cellWidth: number; readonly rowHeight: number };

const boxOf = ({ row, column }: CellPlace, { cellWidth, rowHeight }: CellSize) => ({
  left: `${column * cellWidth}px`,
  top: `${row * rowHeight}px`,
  width: `${cellWidth - 1}px`,
  height: `${rowHeight - 1}px`,
});

/** Scrolls a map that is wider than its element: first to the newest steps, then to the cursor. */
function useScrolling(
  place: RefObject<HTMLDivElement | null>,
  cursor: CellPlace | null,
  cellWidth: number,
): void {
  useLayoutEffect(() => {
    const element = place.current;
    if (element) element.scrollLeft = element.scrollWidth;
  }, [cellWidth]);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || !cursor) return;
    const left = cursor.column * cellWidth;
    const right = left + cellWidth - element.clientWidth;
    element.scrollLeft = Math.max(right, Math.min(left, element.scrollLeft));
  }, [cursor?.column]);
}
