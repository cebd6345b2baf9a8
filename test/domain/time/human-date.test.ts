import { describe, expect, it } from 'vitest';
import { parseHumanDate } from '../../../domain/time/human-date.ts';

const at = (text: string): number => Date.parse(text) / 1000;

describe('a human date', () => {
  it.each([
    ['Jul 15 2026 10:00:00 AM', '2026-07-15T10:00:00Z', 'the format of the specification'],
    ['July 15 2026 10:00:00 AM', '2026-07-15T10:00:00Z', 'a full month name'],
    ['JULY 15 2026 10:00:00 am', '2026-07-15T10:00:00Z', 'any case'],
    ['jUL 15 2026 10:00:00 aM', '2026-07-15T10:00:00Z', 'any case'],
    ['Jul 5 2026 9:00:00 PM', '2026-07-05T21:00:00Z', 'one digit for day and hour'],
    ['Jul 05 2026 09:00:00 PM', '2026-07-05T21:00:00Z', 'two digits for day and hour'],
    ['Jul 15 2026 10:00 AM', '2026-07-15T10:00:00Z', 'without seconds'],
    ['Jul 15 2026 12:00:00 AM', '2026-07-15T00:00:00Z', 'midnight'],
    ['Jul 15 2026 12:59:59 AM', '2026-07-15T00:59:59Z', 'the end of the first hour'],
    ['Jul 15 2026 1:00:00 AM', '2026-07-15T01:00:00Z', 'the second hour'],
    ['Jul 15 2026 12:00:00 PM', '2026-07-15T12:00:00Z', 'noon'],
    ['Jul 15 2026 11:59:59 PM', '2026-07-15T23:59:59Z', 'the last second'],
    ['May 1 2026 1:00 PM', '2026-05-01T13:00:00Z', 'a month whose full name has three letters'],
    ['Sep 30 2026 1:00 PM', '2026-09-30T13:00:00Z', 'the last day of a month'],
    ['Feb 29 2024 1:00 PM', '2024-02-29T13:00:00Z', 'a leap day'],
    ['Jan 1 1970 12:00:00 AM', '1970-01-01T00:00:00Z', 'the first second'],
    ['Dec 31 9999 11:59:59 PM', '9999-12-31T23:59:59Z', 'the last valid second'],
    ['Dec 31 1969 11:59:59 PM', '1969-12-31T23:59:59Z', 'a date before all windows'],
  ])('%s is %s: %s', (text, instant) => {
    expect(parseHumanDate(text, 'UTC')).toBe(at(instant));
  });

  it.each([
    ['January', 1],
    ['February', 2],
    ['March', 3],
    ['April', 4],
    ['May', 5],
    ['June', 6],
    ['July', 7],
    ['August', 8],
    ['September', 9],
    ['October', 10],
    ['November', 11],
    ['December', 12],
  ])('knows %s, and its first three letters, as month %d', (name, month) => {
    const instant = Date.UTC(2026, month - 1, 2) / 1000;
    expect(parseHumanDate(`${name} 2 2026 12:00 AM`, 'UTC')).toBe(instant);
    expect(parseHumanDate(`${name.slice(0, 3)} 2 2026 12:00 AM`, 'UTC')).toBe(instant);
  });

  it.each([
    ['', 'nothing'],
    ['yesterday', 'a word'],
    ['1784109600', 'a timestamp'],
    ['2026-07-15T10:00:00Z', 'another format'],
    ['15 Jul 2026 10:00:00 AM', 'the day first'],
    ['Jul 15, 2026 10:00:00 AM', 'a comma'],
    ['Juli 15 2026 10:00:00 AM', 'a month in another language'],
    ['Sept 15 2026 10:00:00 AM', 'four letters'],
    ['Jul 15 26 10:00:00 AM', 'a short year'],
    ['Jul 15 12026 10:00:00 AM', 'a long year'],
    ['Jul 15 2026 10:00:00', 'neither AM nor PM'],
    ['Jul 15 2026 10:00:00 XM', 'something other than AM or PM'],
    ['Jul 15 2026 10:00:00AM', 'no space'],
    ['Jul 15 2026  10:00:00 AM', 'two spaces'],
    [' Jul 15 2026 10:00:00 AM', 'a space before'],
    ['Jul 15 2026 10:00:00 AM ', 'a space after'],
    ['Jul 15 2026 10:00:00 AM UTC', 'a zone'],
    ['Jul 0 2026 10:00:00 AM', 'day 0'],
    ['Jul 32 2026 10:00:00 AM', 'day 32'],
    ['Jun 31 2026 10:00:00 AM', 'day 31 of a month that has 30'],
    ['Feb 29 2026 10:00:00 AM', 'a leap day in another year'],
    ['Jul 15 2026 0:00:00 AM', 'hour 0'],
    ['Jul 15 2026 13:00:00 PM', 'hour 13'],
    ['Jul 15 2026 10:60:00 AM', 'minute 60'],
    ['Jul 15 2026 10:00:60 AM', 'second 60'],
    ['Jul 15 2026 10:0:00 AM', 'one digit for the minute'],
    ['Jul 15 2026 10 AM', 'no minute'],
    ['Jul 15 2026 10:00:00.5 AM', 'a fraction'],
  ])('%j is rejected: %s', (text) => {
    expect(parseHumanDate(text, 'UTC')).toBeNull();
  });

  it.each([
    ['Jul 15 2026 10:00:00 AM', 'Europe/Berlin', '2026-07-15T08:00:00Z', 'summer time'],
    ['Jan 15 2026 10:00:00 AM', 'Europe/Berlin', '2026-01-15T09:00:00Z', 'standard time'],
    ['Jul 15 2026 10:00:00 AM', 'Asia/Kolkata', '2026-07-15T04:30:00Z', 'a half-hour offset'],
    ['Mar 29 2026 1:59:59 AM', 'Europe/Berlin', '2026-03-29T00:59:59Z', 'before the gap'],
    ['Mar 29 2026 2:30:00 AM', 'Europe/Berlin', '2026-03-29T01:30:00Z', 'in the gap'],
    ['Mar 29 2026 3:00:00 AM', 'Europe/Berlin', '2026-03-29T01:00:00Z', 'after the gap'],
    [
      'Oct 25 2026 2:30:00 AM',
      'Europe/Berlin',
      '2026-10-25T00:30:00Z',
      'a time that occurs twice: the earlier one',
    ],
    ['Oct 25 2026 3:00:00 AM', 'Europe/Berlin', '2026-10-25T02:00:00Z', 'after the repeated hour'],
  ])('%s in %s is %s: %s', (text, zone, instant) => {
    expect(parseHumanDate(text, zone)).toBe(at(instant));
  });
});
