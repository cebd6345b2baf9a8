import { useEffect, useRef } from 'preact/hooks';
import { addDays, addMonths, type Day, dayName, monthName, weeksOf } from '../../format/month.ts';

type MonthTableProps = {
  /** The current day: its month is shown. */
  readonly day: Day;
  readonly today: Day;
  readonly isChosen: (day: Day) => boolean;
  readonly hasData: (day: Day) => boolean;
  readonly onMove: (day: Day) => void;
  readonly onChoose: (day: Day) => void;
};

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Steps of the arrow and page keys. */
const MOVES: Readonly<Record<string, (day: Day) => Day>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};

/** The days of a month. Tab stops at one of them; arrow keys move from there. */
export function MonthTable(props: MonthTableProps) {
  const { day, onMove } = props;
  const table = useRef<HTMLTableElement>(null);
  const wantsFocus = useRef(false);
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    table.current?.querySelector<HTMLButtonElement>('[tabindex="0"]')?.focus();
  }, [day]);
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    wantsFocus.current = true;
    onMove(move(day));
  };
  return (
    <table ref={table} aria-label={monthName(day)} onKeyDown={onKeyDown}>
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
            {week.map((each) => (
              <DayCell key={each} {...props} each={each} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DayCell({
  each,
  day,
  today,
  isChosen,
  hasData,
  onChoose,
}: MonthTableProps & { each: Day }) {
  // A day of another month.
  if (!each.startsWith(day.slice(0, 7))) return <td />;
  return (
    <td class={isChosen(each) ? 'is-chosen' : ''}>
      <button
        type="button"
        tabIndex={each === day ? 0 : -1}
        class={hasData(each) ? 'has-data' : ''}
        aria-label={dayName(each) + (hasData(each) ? ', has data' : '')}
        aria-pressed={isChosen(each)}
        aria-current={each === today ? 'date' : undefined}
        onClick={() => onChoose(each)}
      >
        {Number(each.slice(8))}
      </button>
    </td>
  );
}
