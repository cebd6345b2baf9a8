import { useState } from 'preact/hooks';
import { momentsIn } from '../../format/moment.ts';
import { addDays, addMonths, type Day, isDay, monthName } from '../../format/month.ts';
import { IconButton } from '../../parts/icon.tsx';
import { MonthTable } from './month-table.tsx';

type CalendarProps = {
  readonly zone: string;
  /** In the form of the fields: `2026-11-21T15:40`. */
  readonly from: string;
  readonly to: string;
  /** The time for which there is data, in the same form. */
  readonly stored: { readonly from: string; readonly to: string } | null;
  readonly onChoose: (from: string, to: string) => void;
};

/** A month: one click chooses a day, a second click chooses the days up to it. */
export function Calendar({ zone, from, to, stored, onChoose }: CalendarProps) {
  const today = momentsIn(zone)
    .field(Date.now() / 1000)
    .slice(0, 10);
  const first = from.slice(0, 10);
  // The end is exclusive: if it is midnight, the last day is the one before.
  const last = to.endsWith('T00:00') ? addDays(to.slice(0, 10), -1) : to.slice(0, 10);
  const [day, setDay] = useState(isDay(first) ? first : (stored?.to.slice(0, 10) ?? today));
  const [start, setStart] = useState<Day | null>(null);
  const choose = (chosen: Day) => {
    const isEnd = start !== null && start <= chosen;
    setStart(isEnd ? null : chosen);
    setDay(chosen);
    onChoose(`${isEnd ? start : chosen}T00:00`, `${addDays(chosen, 1)}T00:00`);
  };
  return (
    <div class="calendar">
      <div class="calendar-head">
        <IconButton icon="back" name="Previous month" onClick={() => setDay(addMonths(day, -1))} />
        <p aria-live="polite">{monthName(day)}</p>
        <IconButton icon="forward" name="Next month" onClick={() => setDay(addMonths(day, 1))} />
      </div>
      <MonthTable
        day={day}
        today={today}
        isChosen={(each) => each >= first && each <= last}
        hasData={(each) =>
          stored !== null && each >= stored.from.slice(0, 10) && each <= stored.to.slice(0, 10)
        }
        onMove={setDay}
        onChoose={choose}
      />
    </div>
  );
}
