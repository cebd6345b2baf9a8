import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const MOVING_MS = 400;

/**
 * Animates rows to their new positions, so that the eye can follow, and keeps the focus on its row,
 * or where that row was if it is gone.
 * Call it from the component that renders the rows; each row has its key in `data-row`.
 */
export function useMovingRows(
  body: RefObject<HTMLTableSectionElement | null>,
  keys: readonly string[],
): void {
  const order = keys.join('\n');
  const shown = useRef(order);
  // During this render, the rows are still at their old positions.
  const before = shown.current === order ? null : placesOf(body.current);
  useLayoutEffect(() => {
    shown.current = order;
    if (!before) return;
    const { focused } = before;
    const next = focused?.element.isConnected ? focused.element : at(body.current, focused);
    next?.focus({ preventScroll: true });
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const row of rowsOf(body.current)) {
      const top = before.tops.get(row.dataset['row'] ?? '');
      if (top === undefined) appear(row);
      else if (top !== row.offsetTop) move(row, top - row.offsetTop);
    }
  }, [order]);
}

type Places = {
  /** Position of each row in its table, independent of scrolling. */
  readonly tops: ReadonlyMap<string, number>;
  /** The focused element in the table; an element loses the focus when it is moved. */
  readonly focused: Focused | null;
};

type Focused = {
  readonly element: HTMLElement;
  /** Index of its row, and its own index among the controls of the row. */
  readonly row: number;
  readonly control: number;
};

function placesOf(body: HTMLElement | null): Places {
  const rows = rowsOf(body);
  return {
    tops: new Map(rows.map((row) => [row.dataset['row'] ?? '', row.offsetTop])),
    focused: focusedIn(rows),
  };
}

function focusedIn(rows: readonly HTMLElement[]): Focused | null {
  const element = document.activeElement;
  const row = rows.findIndex((each) => each.contains(element));
  const own = rows[row];
  if (!own || !(element instanceof HTMLElement)) return null;
  return { element, row, control: controlsOf(own).indexOf(element) };
}

/** Returns the control at the place of one whose row is gone. */
function at(body: HTMLElement | null, focused: Focused | null): HTMLElement | null {
  const rows = rowsOf(body);
  const row = focused && rows[Math.min(focused.row, rows.length - 1)];
  return (row && controlsOf(row)[focused.control]) ?? null;
}

const controlsOf = (row: HTMLElement): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>('a, button'),
];

const rowsOf = (body: HTMLElement | null): HTMLElement[] =>
  body ? [...body.querySelectorAll<HTMLElement>('tr[data-row]')] : [];

const TIMING = { duration: MOVING_MS, easing: 'ease-in-out' } as const;

const move = (row: HTMLElement, distance: number): void => {
  row.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], TIMING);
};

const appear = (row: HTMLElement): void => {
  row.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
};
