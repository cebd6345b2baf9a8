/** A time that is written below a column. */
export type TimeTick = { readonly column: number; readonly clock: string; readonly day: string };

type Axis = {
  /** When the columns begin. */
  readonly starts: readonly number[];
  readonly every: number;
  /** How far apart ticks are at least, in columns. */
  readonly apart: number;
  /** A time as a clock of the zone shows it: `2026-11-21T15:40:00`. */
  readonly field: (at: number) => string;
};

const HOUR = 3600;
const DAY = 24 * HOUR;

const INTERVALS: readonly number[] = [
  ...[60, 120, 300, 600, 900, 1800],
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY),
];

/** Ticks at round times of the zone, or at the first column after each. The day is told once. */
export function timeTicks({ starts, every, apart, field }: Axis): readonly TimeTick[] {
  const least = every * apart;
  const interval =
    // Of whole steps, if there is one: then columns begin at its round times.
    INTERVALS.find((each) => each >= least && each % every === 0) ?? Math.ceil(least / DAY) * DAY;
  const rounds = starts.map((at) => Math.floor(Date.parse(`${field(at)}Z`) / 1000 / interval));
  const columns = rounds.flatMap((round, index) => (round === rounds[index - 1] ? [] : index));
  // The first column begins anywhere: the next tick may be too near to it.
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

const MONTHS = [
  ...['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'],
  ...['Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
];

const dayOf = (field: string): string =>
  `${Number(field.slice(8, 10))} ${MONTHS[Number(field.slice(5, 7)) - 1] ?? ''}`;
