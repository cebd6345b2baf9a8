/** A time shown below a column. */
export type TimeTick = { readonly column: number; readonly clock: string; readonly day: string };

type Axis = {
  /** Starts of the columns. */
  readonly starts: readonly number[];
  readonly every: number;
  /** Minimum distance between ticks, in columns. */
  readonly apart: number;
  /** Formats a time as the clocks of the zone show it: `2026-11-21T15:40:00`. */
  readonly field: (at: number) => string;
};

const HOUR = 3600;
const DAY = 24 * HOUR;

const INTERVALS: readonly number[] = [
  60,
  120,
  300,
  600,
  900,
  1800,
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY),
];

/**
 * Returns ticks at round times of the zone, or at the first column after each. A day appears once.
 */
export function timeTicks({ starts, every, apart, field }: Axis): readonly TimeTick[] {
  const least = every * apart;
  const interval =
    // A multiple of the step, if there is one: then columns start at round times.
    INTERVALS.find((each) => each >= least && each % every === 0) ?? Math.ceil(least / DAY) * DAY;
  const rounds = starts.map((at) => Math.floor(Date.parse(`${field(at)}Z`) / 1000 / interval));
  const columns = rounds.flatMap((round, index) => (round === rounds[index - 1] ? [] : index));
  // The first column starts anywhere: the next tick may be too close to it.
  const apartEnough = (columns[1] ?? apart) < apart ? columns.slice(1) : columns;
  let before = '';
  return apartEnough.map((column) => {
    const text = field(starts[column] ?? 0);
    const day = dayOf(text);
    const tick = { column, clock: interval >= DAY ? '' : text.slice(11, 16), day };
    const isKnown = day === before;
    before = day;
    return isKnown ? { ...tick, day: '' } : tick;
  });
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const dayOf = (field: string): string =>
  `${Number(field.slice(8, 10))} ${MONTHS[Number(field.slice(5, 7)) - 1] ?? ''}`;
