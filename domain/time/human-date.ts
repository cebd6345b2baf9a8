import { Temporal } from 'temporal-polyfill';
import type { EpochSeconds } from './interval.ts';

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

const SHAPE = /^([a-z]+) (\d{1,2}) (\d{4}) (\d{1,2}):(\d{2})(?::(\d{2}))? ([ap])m$/i;

/**
 * Reads `Jul 15 2026 10:00:00 AM` in a time zone; null for anything else (decision 21). A date
 * before 1970 gives a negative number: it is a date, although no window can have it.
 */
export function parseHumanDate(text: string, timeZone: string): EpochSeconds | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const [, monthName = '', day, year, clockHour, minute, second = '0', half = ''] = match;
  const month = monthNumber(monthName);
  const hour = hourOfDay(Number(clockHour), half);
  if (month === null || hour === null) return null;
  const fields = {
    year: Number(year),
    month,
    day: Number(day),
    hour,
    minute: Number(minute),
    second: Number(second),
  };
  return epochSecondsOf(fields, timeZone);
}

function monthNumber(name: string): number | null {
  const lower = name.toLowerCase();
  const index = MONTHS.findIndex((month) => month === lower || month.slice(0, 3) === lower);
  return index === -1 ? null : index + 1;
}

/** The twelve-hour clock starts each half of the day with 12. */
function hourOfDay(clockHour: number, half: string): number | null {
  if (clockHour < 1 || clockHour > 12) return null;
  return (clockHour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

type LocalTime = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;

function epochSecondsOf(fields: LocalTime, timeZone: string): EpochSeconds | null {
  if (!isLocalTime(fields)) return null;
  const local = Temporal.PlainDateTime.from(fields);
  // Decision 20: the rule for local times that do not exist, or exist twice.
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' });
  return Math.floor(zoned.epochMilliseconds / 1000);
}

function isLocalTime({ year, month, day, minute, second }: LocalTime): boolean {
  if (day < 1 || minute > 59 || second > 59) return false;
  return day <= Temporal.PlainYearMonth.from({ year, month }).daysInMonth;
}
