import { useState } from 'preact/hooks';

export type CellPlace = { readonly row: number; readonly column: number };

type HeatSize = {
  readonly rows: number;
  readonly columns: number;
  /** Pixels. */
  readonly cellWidth: number;
  readonly rowHeight: number;
};

type Move = (place: CellPlace, last: CellPlace) => CellPlace;

const MOVES: Readonly<Record<string, Move>> = {
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, last) => ({ row, column: last.column }),
};

/**
 * Tracks the cell under the pointer, or that the arrow keys moved to; a click or Enter opens it.
 */
export function useHeatCursor(size: HeatSize, open: (place: CellPlace) => void) {
  const [cursor, setCursor] = useState<CellPlace | null>(null);
  const last = { row: size.rows - 1, column: size.columns - 1 };
  const within = ({ row, column }: CellPlace): CellPlace => ({
    row: Math.max(0, Math.min(last.row, row)),
    column: Math.max(0, Math.min(last.column, column)),
  });
  const placeOf = (event: MouseEvent & { readonly currentTarget: HTMLElement }): CellPlace => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return within({
      row: Math.floor((event.clientY - top) / size.rowHeight),
      column: Math.floor((event.clientX - left) / size.cellWidth),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (event.key === 'Enter' && cursor) open(cursor);
    if (!move) return;
    event.preventDefault();
    setCursor((before) => (before ? within(move(before, last)) : { row: 0, column: last.column }));
  };
  const shown = cursor && within(cursor);
  return {
    cursor: shown,
    handlers: {
      onKeyDown,
      onMouseMove: (event: MouseEvent & { readonly currentTarget: HTMLElement }) => {
        const next = placeOf(event);
        if (next.row !== shown?.row || next.column !== shown.column) setCursor(next);
      },
      onMouseLeave: () => setCursor(null),
      onBlur: () => setCursor(null),
      onClick: (event: MouseEvent & { readonly currentTarget: HTMLElement }) =>
        open(placeOf(event)),
    },
  };
}
