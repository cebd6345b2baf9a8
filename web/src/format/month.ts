/** A calendar day, as `2026-11-21`, independent of clocks and zones. */
export type Day = string;

const utc = (day: Day): Date => new Date(`${day}T00:00:00Z`);

const dayOf = (date: Date): Day => date.toISOString().slice(0, 10);

/** Returns whether a text is a day that exists. `Date` takes 30 February for 2 March. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && utc(text).getUTCDate() === Number(text.slice(-2));

export function addDays(day: Day, count: number): Day {
  const date = utc(day);
  date.setUTCDate(date.getUTCDate() + count);
  return dayOf(date);
}

/** Returns the same day of another month, or the month's last day. */
export function addMonths(day: Day, count: number): Day {
  const date = utc(day);
  const wanted = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(wanted, last));
  return dayOf(date);
}

/** Returns the weeks that contain days of a month, each starting on Monday. */
export function weeksOf(day: Day): readonly (readonly Day[])[] {
  const first = `${day.slice(0, 7)}-01`;
  const monday = addDays(first, -((utc(first).getUTCDay() + 6) % 7));
  const weeks = Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (_each, index) => addDays(monday, week * 7 + index)),
  );
  return weeks.filter((week) => week.some((each) => each.startsWith(day.slice(0, 7))));
}

const MONTH = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });

const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'full' });

export const monthName = (day: Day): string => MONTH.format(utc(day));

export const dayName = (day: Day): string => DAY.format(utc(day));
