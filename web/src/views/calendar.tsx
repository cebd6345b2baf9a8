import { useEffect, useRef, useState } from 'preact/hooks';
import { momentsIn } from '../format/moment.ts';
import {
  addDays,
  addMonths,
  type Day,
  dayName,
  isDay,
  monthName,
  weeksOf,
} from '../format/month.ts';
import { IconButton } from '../parts/icon.tsx';

type CalendarProps = {
  readonly zone: string;
  /** As the fields have them: `2026-11-21T15:40`. */
  readonly from: string;
  readonly to: string;
  /** From when to when there are data, in the same form. */
  readonly stored: { readonly from: string; readonly to: string } | null;
  readonly onChoose: (from: string, to: string) => void;
};

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Steps of the arrow keys and their like. */
const MOVES: Readonly<Record<string, (day: Day) => Day>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};

/** A month: one click chooses a day, a second one the days up to there. */
export function Calendar({ zone, from, to, stored, onChoose }: CalendarProps) {
  const today = momentsIn(zone)
    .field(Date.now() / 1000)
    .slice(0, 10);
  const first = from.slice(0, 10);
  const [day, setDay] = useState(isDay(first) ? first : (stored?.to.slice(0, 10) ?? today));
  const [open, setOpen] = useState<Day | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  const wantsFocus = useRef(false);
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    grid.current?.querySelector<HTMLButtonElement>('[tabindex="0"]')?.focus();
  }, [day]);
  const choose = (chosen: Day) => {
    const [start, end] = open && open <= chosen ? [open, chosen] : [chosen, chosen];
    setOpen(open && open <= chosen ? null : chosen);
    setDay(chosen);
    onChoose(`${start}T00:00`, `${addDays(end, 1)}T00:00`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    wantsFocus.current = true;
    setDay(move(day));
  };
  // The end is not part of the window: at midnight it is the day before that is its last.
  const last = to.endsWith('T00:00') ? addDays(to.slice(0, 10), -1) : to.slice(0, 10);
  return (
    <div class="calendar">
      <div class="calendar-head">
        <IconButton icon="back" name="Month before" onClick={() => setDay(addMonths(day, -1))} />
        <p aria-live="polite">{monthName(day)}</p>
        <IconButton icon="forward" name="Month after" onClick={() => setDay(addMonths(day, 1))} />
      </div>
      <table ref={grid} aria-label={monthName(day)} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name}>
                {name.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(day).map((week) => (
            <tr key={week[0]}>
              {week.map((each) =>
                isOther(each) ? (
                  <td key={each} />
                ) : (
                  <td key={each} class={each >= first && each <= last ? 'is-chosen' : ''}>
                    <button
                      type="button"
                      tabIndex={each === day ? 0 : -1}
                      class={hasData(each) ? 'has-data' : ''}
                      aria-label={dayName(each) + (hasData(each) ? ', has data' : '')}
                      aria-pressed={each >= first && each <= last}
                      aria-current={each === today ? 'date' : undefined}
                      onClick={() => choose(each)}
                    >
                      {Number(each.slice(8))}
                    </button>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

  function hasData(each: Day): boolean {
    return stored !== null && each >= stored.from.slice(0, 10) && each <= stored.to.slice(0, 10);
  }

  function isOther(each: Day): boolean {
    return !each.startsWith(day.slice(0, 7));
  }
}
