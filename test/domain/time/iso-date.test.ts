import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIsoDate } from '../../../domain/time/iso-date.ts';

const at = (text: string): number => Date.parse(text) / 1000;

describe('an ISO 8601 date', () => {
  it.each([
    ['2026-07-15', '2026-07-15T00:00:00Z', 'a date stands for its first second'],
    ['2026-07-15T10:00', '2026-07-15T10:00:00Z', 'date and time'],
    ['2026-07-15T10:00:07', '2026-07-15T10:00:07Z', 'with seconds'],
    ['2026-07-15Z', '2026-07-15T00:00:00Z', 'a date with Z'],
    ['2026-07-15T10:00Z', '2026-07-15T10:00:00Z', 'with Z'],
    ['2026-07-15T10:00:07Z', '2026-07-15T10:00:07Z', 'with seconds and Z'],
    ['2026-07-15+02:00', '2026-07-14T22:00:00Z', 'a date with an offset'],
    ['2026-07-15T10:00+02:00', '2026-07-15T08:00:00Z', 'an offset to the east'],
    ['2026-07-15T10:00:07-09:30', '2026-07-15T19:30:07Z', 'an offset to the west'],
    ['2026-07-15T10:00+0200', '2026-07-15T08:00:00Z', 'an offset without a colon'],
    ['2026-07-15T10:00+02', '2026-07-15T08:00:00Z', 'an offset in hours alone'],
    ['2026-07-15T10:00-00:00', '2026-07-15T10:00:00Z', 'an offset of zero with a minus sign'],
    ['2026-07-15t10:00z', '2026-07-15T10:00:00Z', 'lower-case letters (RFC 3339)'],
    ['2026-07-15T10:00:07.000Z', '2026-07-15T10:00:07Z', 'what toISOString writes'],
    ['2026-07-15T10:00:07.5Z', '2026-07-15T10:00:07Z', 'a fraction, dropped'],
    ['2026-07-15T10:00:07.999999999Z', '2026-07-15T10:00:07Z', 'nine digits, not rounded'],
    ['2026-07-15T10:00:59.999+02:00', '2026-07-15T08:00:59Z', 'a fraction and an offset'],
    ['2026-07-15T10:00:07.123', '2026-07-15T10:00:07Z', 'a fraction and no offset'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z', 'a fraction before 1970, dropped too'],
    ['2024-02-29', '2024-02-29T00:00:00Z', 'a leap day'],
    ['1970-01-01', '1970-01-01T00:00:00Z', 'the first second'],
    ['9999-12-31T23:59:59', '9999-12-31T23:59:59Z', 'the last valid second'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z', 'a date before all windows'],
  ])('%s is %s: %s', (text, instant) => {
    expect(parseIsoDate(text, 'UTC')).toBe(at(instant));
    // The zone applies only to texts without an offset.
    const isLocal = !/Z$|[+-]\d\d(:?\d\d)?$/i.test(text.slice(10));
    if (!isLocal) expect(parseIsoDate(text, 'Asia/Kolkata')).toBe(at(instant));
  });

  it.each([
    ['', 'nothing'],
    ['yesterday', 'a word'],
    ['1784109600', 'a timestamp'],
    ['2026-07', 'a month'],
    ['2026-7-15', 'one digit for the month'],
    ['26-07-15', 'a short year'],
    ['12026-07-15', 'a long year'],
    ['+002026-07-15', 'a year of six digits'],
    ['20260715', 'no hyphens'],
    ['20260715T100000Z', 'neither hyphens nor colons'],
    ['2026-W29-3', 'a week'],
    ['2026-196', 'a day of the year'],
    ['2026-00-15', 'month 0'],
    ['2026-13-15', 'month 13'],
    ['2026-07-00', 'day 0'],
    ['2026-06-31', 'day 31 of a month that has 30'],
    ['2026-02-29', 'a leap day in another year'],
    ['2026-07-15T', 'no time after the T'],
    ['2026-07-15T10', 'no minute'],
    ['2026-07-15T9:00', 'one digit for the hour'],
    ['2026-07-15T24:00', 'hour 24'],
    ['2026-07-15T10:60', 'minute 60'],
    ['2026-07-15T10:00:60Z', 'second 60'],
    ['2026-07-15T10:00:00.Z', 'a fraction without digits'],
    ['2026-07-15T10:00:00.1234567890Z', 'a fraction of ten digits'],
    ['2026-07-15T10:00.5Z', 'a fraction of a minute'],
    ['2026-07-15.5', 'a fraction of a day'],
    ['2026-07-15T10:00:00.5.5Z', 'two fractions'],
    ['2026-07-15T10:00:60.5Z', 'second 60 with a fraction'],
    ['2026-07-15T10:00:00,5Z', 'a fraction with a comma'],
    ['2026-07-15 10:00', 'a space in place of the T'],
    ['2026-07-15T10:00 Z', 'a space before the Z'],
    ['2026-07-15T10:00 02:00', 'a space in place of the +'],
    [' 2026-07-15', 'a space before'],
    ['2026-07-15 ', 'a space after'],
    ['2026-07-15T10:00+24:00', 'an offset of a day'],
    ['2026-07-15T10:00+02:60', 'minute 60 of an offset'],
    ['2026-07-15T10:00+2', 'an offset of one digit'],
    ['2026-07-15T10:00+02:00:00', 'an offset with seconds'],
    ['2026-07-15T10:00UTC', 'an abbreviation of a zone'],
    ['2026-07-15T10:00Europe/Berlin', 'the IANA name of a zone'],
    ['2026-07-15T10:00[Europe/Berlin]', 'a zone in brackets (RFC 9557)'],
    ['2026-07-15T10:00Z[u-ca=hebrew]', 'a calendar'],
    ['２０２６-07-15', 'digits of another script'],
  ])('is not %j: %s', (text) => {
    expect(parseIsoDate(text, 'UTC')).toBeNull();
  });

  it.each([
    ['2026-07-15', 'Europe/Berlin', '2026-07-14T22:00:00Z', 'midnight in summer'],
    ['2026-01-15T10:00', 'Europe/Berlin', '2026-01-15T09:00:00Z', 'standard time'],
    ['2026-07-15T10:00', 'Asia/Kolkata', '2026-07-15T04:30:00Z', 'a half-hour offset'],
    ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59Z', 'before the gap'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z', 'in the gap'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00Z', 'after the gap'],
    [
      '2026-10-25T02:30',
      'Europe/Berlin',
      '2026-10-25T00:30:00Z',
      'a time that occurs twice: the earlier one',
    ],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00Z', 'after the repeated hour'],
    ['2024-03-31', 'Asia/Beirut', '2024-03-30T22:00:00Z', 'a midnight that is skipped'],
    ['2024-11-03', 'America/Havana', '2024-11-03T04:00:00Z', 'a midnight that occurs twice'],
  ])('%s in %s is %s: %s', (text, zone, instant) => {
    expect(parseIsoDate(text, zone)).toBe(at(instant));
  });

  it('is parsed as JavaScript parses it, at any second and offset', () => {
    const second = fc.integer({ min: 0, max: 253_402_300_799 });
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(second, minutes, (seconds, offset) => {
        const utc = new Date(seconds * 1000).toISOString();
        expect(parseIsoDate(utc, 'Asia/Kolkata')).toBe(seconds);
        const local = utc.replace('.000Z', '');
        expect(parseIsoDate(local, 'UTC')).toBe(seconds);
        expect(parseIsoDate(local + offsetText(offset), 'UTC')).toBe(seconds - offset * 60);
      }),
    );
  });
});

const two = (n: number): string => String(n).padStart(2, '0');

const offsetText = (minutes: number): string =>
  `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
