import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { isTimeZone, startOfDay } from '../../../domain/time/time-zone.ts';

const at = (text: string): number => Date.parse(text) / 1000;

describe('a time zone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Etc/GMT+5',
    'EST5EDT',
    'europe/berlin',
  ])('may be %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    '',
    '+02:00',
    '-05',
    '+0200',
    '+02',
    'UTC+2',
    'GMT+5:30',
    'Z',
    'Mars/Olympus',
    'Europe/',
    'Europe/Berlin ',
    'Berlin',
    'local',
    'PST',
    'T1000Z',
    '2026-07-15[Europe/Berlin]',
  ])('is not %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it('may be any that the runtime lists, and has a start of day', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      expect(isTimeZone(name)).toBe(true);
      const start = startOfDay(at('2026-07-15T12:00:00Z'), name);
      const local = Temporal.Instant.fromEpochMilliseconds(start * 1000).toZonedDateTimeISO(name);
      expect(local.toPlainTime().toString()).toBe('00:00:00');
    }
  });
});

describe('the start of a day', () => {
  it.each([
    [
      '2026-07-15T00:00:00Z',
      'UTC',
      0,
      '2026-07-15T00:00:00Z',
      'midnight is the start of its own day',
    ],
    ['2026-07-14T23:59:59Z', 'UTC', 0, '2026-07-14T00:00:00Z', 'the last second'],
    ['2026-07-15T21:59:59Z', 'Europe/Berlin', 0, '2026-07-14T22:00:00Z', 'ahead of UTC'],
    ['2026-07-15T22:00:00Z', 'Europe/Berlin', 0, '2026-07-15T22:00:00Z', 'the next local day'],
    ['2026-07-15T03:59:59Z', 'America/New_York', 0, '2026-07-14T04:00:00Z', 'behind UTC'],
    ['2026-07-15T12:00:00Z', 'Asia/Kolkata', 0, '2026-07-14T18:30:00Z', 'a half-hour offset'],
    ['2026-03-29T12:00:00Z', 'Europe/Berlin', 0, '2026-03-28T23:00:00Z', 'a day of 23 hours'],
    ['2026-03-30T12:00:00Z', 'Europe/Berlin', 1, '2026-03-28T23:00:00Z', 'the day before it'],
    ['2026-10-26T12:00:00Z', 'Europe/Berlin', 1, '2026-10-24T22:00:00Z', 'a day of 25 hours'],
    ['2026-09-06T12:00:00Z', 'America/Santiago', 0, '2026-09-06T04:00:00Z', 'midnight is skipped'],
    ['2026-07-15T12:00:00Z', 'UTC', 1, '2026-07-14T00:00:00Z', 'the day before'],
    [
      '2026-03-01T12:00:00Z',
      'UTC',
      1,
      '2026-02-28T00:00:00Z',
      'the day before, in the previous month',
    ],
    ['2026-07-15T12:00:00Z', 'UTC', 7, '2026-07-08T00:00:00Z', 'a week before'],
    [
      '2011-12-30T12:00:00Z',
      'Pacific/Apia',
      1,
      '2011-12-29T10:00:00Z',
      'the day before a missing one',
    ],
    ['1970-01-01T05:00:00Z', 'UTC', 1, '1970-01-01T00:00:00Z', 'never before 1970'],
    [
      '1970-01-01T05:00:00Z',
      'America/New_York',
      0,
      '1970-01-01T05:00:00Z',
      'the first local midnight',
    ],
    ['1970-01-01T04:59:59Z', 'America/New_York', 0, '1970-01-01T00:00:00Z', 'never before 1970'],
    ['9999-12-31T23:59:59Z', 'Asia/Tokyo', 0, '9999-12-31T15:00:00Z', 'the last day'],
  ])('of %s in %s, %d days ago, is %s: %s', (instant, zone, daysAgo, start) => {
    expect(startOfDay(at(instant), zone, daysAgo)).toBe(at(start));
  });
});
