import type { TrendCell, TrendRow } from './shown-trend.ts';

/** What the colour of a cell shows. */
export type HeatOf = 'rank' | 'share';

/** Number of colours. */
export const LEVELS = 10;

type Scale = {
  readonly of: HeatOf;
  readonly items: number;
  /** The largest share shown: it has the strongest colour. */
  readonly largest: number;
};

/** Returns a level from 0, the strongest colour, to the faintest. */
export function heatLevel({ rank, share }: TrendCell, { of, items, largest }: Scale): number {
  if (of === 'rank') return Math.min(LEVELS - 1, Math.floor(((rank - 1) * LEVELS) / items));
  const part = largest > 0 ? (share ?? 0) / largest : 0;
  return Math.min(LEVELS - 1, Math.floor((1 - part) * LEVELS));
}

export const largestShare = (rows: readonly TrendRow[]): number =>
  rows.reduce(
    (largest, { cells }) => cells.reduce((most, cell) => Math.max(most, cell?.share ?? 0), largest),
    0,
  );
