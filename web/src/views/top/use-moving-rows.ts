import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const MOVING_MS = 400;

/**
 * Animates rows to their new positions, so that the eye can follow, and keeps the focus on its row.
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
    before.focused?.focus({ preventScroll: true });
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
  readonly focused: HTMLElement | null;
};

function placesOf(body: HTMLElement | null): Places {
  const focused = document.activeElement;
  return {
    tops: new Map(rowsOf(body).map((row) => [row.dataset['row'] ?? '', row.offsetTop])),
    focused: focused instanceof HTMLElement && body?.contains(focused) ? focused : null,
  };
}

const rowsOf = (body: HTMLElement | null): HTMLElement[] =>
  body ? [...body.querySelectorAll<HTMLElement>('tr[data-row]')] : [];

const TIMING = { duration: MOVING_MS, easing: 'ease-in-out' } as const;

const move = (row: HTMLElement, distance: number): void => {
  row.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], TIMING);
};

const appear = (row: HTMLElement): void => {
  row.animate([{ opacity: 0 }, { opacity: 1 }], TIMING);
};
