import { describe, expect, it } from 'vitest';
import { parseMoment } from '../../../domain/time/moment.ts';

const T = Date.UTC(2026, 6, 15, 10) / 1000;

describe('a time on a command line', () => {
  it.each([
    [String(T), 'UTC', T],
    ['0', 'UTC', 0],
    ['2026-07-15', 'UTC', T - 36_000],
    ['2026-07-15', 'Europe/Berlin', T - 36_000 - 7200],
    ['2026-07-15T10:00', 'UTC', T],
    ['2026-07-15 10:00:05', 'UTC', T + 5],
    ['2026-07-15 10:00:05.75', 'UTC', T + 5],
    ['2026-07-15T12:00', 'Europe/Berlin', T],
    ['2026-07-15T10:00Z', 'Europe/Berlin', T],
    ['2026-07-15T12:00:00+02:00', 'UTC', T],
    ['2026-07-15T12:00+0200', 'UTC', T],
    ['Jul 15 2026 10:00:00 AM', 'UTC', T],
    ['july 15 2026 12:00 pm', 'Europe/Berlin', T],
    // A time in the hour that daylight saving skips has the offset before it (decision 20).
    ['2026-03-29T02:30', 'Europe/Berlin', Date.UTC(2026, 2, 29, 1, 30) / 1000],
    ['9999-12-31T23:59:59Z', 'UTC', 253_402_300_799],
  ])('%s in %s is %i', (text, zone, seconds) => {
    expect(parseMoment(text, zone)).toBe(seconds);
  });

  it.each([
    '',
    'yesterday',
    '-1',
    '1.5',
    '2026-02-30',
    '2026-7-15',
    '2026-07-15T25:00',
    '20260715T10',
    '2026-07-15T10:00:00+99:00',
    '1969-12-31',
    '999999999999',
    'Feb 30 2026 10:00:00 AM',
    ' 5',
  ])('%j is rejected', (text) => expect(parseMoment(text, 'UTC')).toBeNull());
});
