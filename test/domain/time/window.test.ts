import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../domain/errors.ts';
import { type Interval, MAX_EPOCH_SECONDS, stepsOf } from '../../../domain/time/interval.ts';
import {
  checkInterval,
  durationRequest,
  intervalRequest,
  recentRequest,
  resolveWindow,
  type WindowPreset,
  type WindowSetting,
} from '../../../domain/time/window.ts';

const at = (text: string): number => Date.parse(text) / 1000;

const NOW = at('2026-07-15T10:17:42Z');

const setting = (changes: Partial<WindowSetting> = {}): WindowSetting => ({
  clock: () => NOW,
  timeZone: 'UTC',
  available: null,
  present: () => changes.available ?? null,
  bucketSeconds: 60,
  topperBucketSeconds: 300,
  ...changes,
});

describe('the most recent seconds', () => {
  it.each([
    [{ from: 6000, to: 12_000 }, 600, { from: 11_400, to: 12_000 }, 'end where the data ends'],
    [{ from: 6000, to: 12_000 }, 601, { from: 11_340, to: 12_000 }, 'start at a bucket'],
    [{ from: 6000, to: 12_000 }, 659, { from: 11_340, to: 12_000 }, 'start at a bucket'],
    [{ from: 6000, to: 12_000 }, 1, { from: 11_940, to: 12_000 }, 'have a bucket at least'],
    [{ from: 6000, to: 12_000 }, 9000, { from: 3000, to: 12_000 }, 'may start before the data'],
    [{ from: 6000, to: 12_000 }, 90_000, { from: 0, to: 12_000 }, 'never start before 1970'],
  ])('of %j, %d, are %j: they %s', (available, seconds, interval) => {
    const request = recentRequest(seconds, 'recentsecs');
    expect(resolveWindow(request, setting({ available }))).toEqual(interval);
  });

  it('end now while there is no data', () => {
    expect(resolveWindow(recentRequest(60, 'recentsecs'), setting())).toEqual({
      from: at('2026-07-15T10:16:00Z'),
      to: NOW,
    });
  });
});

describe('an interval', () => {
  it('is the one requested, whatever data exist', () => {
    const request = intervalRequest(100, 200, { from: 'window_fromts', to: 'window_tots' });
    expect(resolveWindow(request, setting())).toEqual({ from: 100, to: 200 });
  });

  it('may be given by its start and length', () => {
    const request = durationRequest(100, 50, { from: 'window_fromts', seconds: 'window_seconds' });
    expect(resolveWindow(request, setting())).toEqual({ from: 100, to: 150 });
  });

  it('passes its check unchanged', () => {
    expect(checkInterval({ from: 100, to: 101 }, { from: 'from', to: 'to' })).toEqual({
      from: 100,
      to: 101,
    });
    expect(() => checkInterval({ from: 100, to: 100 }, { from: 'from', to: 'to' })).toThrow(
      new ServiceError(
        'invalidWindow',
        'Invalid time window - to must be after from, got 100 with 100',
      ),
    );
  });

  it('may span all times', () => {
    const names = { from: 'from', to: 'to', seconds: 'seconds' };
    const all = { kind: 'interval', from: 0, to: MAX_EPOCH_SECONDS };
    expect(intervalRequest(0, MAX_EPOCH_SECONDS, names)).toEqual(all);
    expect(durationRequest(0, MAX_EPOCH_SECONDS, names)).toEqual(all);
  });
});

describe('an invalid window', () => {
  const names = { from: 'window_fromts', to: 'window_tots', seconds: 'window_seconds' };

  it.each([
    [
      () => intervalRequest(200, 200, names),
      'window_tots must be after window_fromts, got 200 with 200',
    ],
    [
      () => intervalRequest(200, 199, names),
      'window_tots must be after window_fromts, got 199 with 200',
    ],
    [
      () => intervalRequest(-1, 5, names),
      'window_fromts must be a time from 0 to 253402300799, got -1',
    ],
    [
      () => intervalRequest(5, MAX_EPOCH_SECONDS + 1, names),
      'window_tots must be a time from 0 to 253402300799, got 253402300800',
    ],
    [
      () => intervalRequest(0.5, 5, names),
      'window_fromts must be a time from 0 to 253402300799, got 0.5',
    ],
    [
      () => intervalRequest(0, Number.NaN, names),
      'window_tots must be a time from 0 to 253402300799, got NaN',
    ],
    [
      () => durationRequest(5, 0, names),
      'window_seconds must be a positive number of seconds, got 0',
    ],
    [
      () => durationRequest(5, -60, names),
      'window_seconds must be a positive number of seconds, got -60',
    ],
    [
      () => durationRequest(-5, 60, names),
      'window_fromts must be a time from 0 to 253402300799, got -5',
    ],
    [
      () => durationRequest(MAX_EPOCH_SECONDS - 59, 60, names),
      'window_fromts + window_seconds must be at most 253402300799, got 253402300800',
    ],
    [
      () => recentRequest(0, 'recentsecs'),
      'recentsecs must be a positive number of seconds, got 0',
    ],
    [
      () => recentRequest(-1, 'recentsecs'),
      'recentsecs must be a positive number of seconds, got -1',
    ],
  ])('is refused with its reason (case %#)', (make, wrong) => {
    expect(make).toThrow(new ServiceError('invalidWindow', `Invalid time window - ${wrong}`));
  });
});

describe('a window that names no times', () => {
  it.each([
    ['UTC', '2026-07-15T00:00:00Z'],
    ['Europe/Berlin', '2026-07-14T22:00:00Z'],
    ['America/New_York', '2026-07-15T04:00:00Z'],
    ['Pacific/Auckland', '2026-07-14T12:00:00Z'],
  ])('is the day in %s until now, from %s', (timeZone, midnight) => {
    const interval = { from: at(midnight), to: NOW };
    expect(resolveWindow({ kind: 'today' }, setting({ timeZone }))).toEqual(interval);
    expect(resolveWindow({ kind: 'preset', preset: 'TODAY' }, setting({ timeZone }))).toEqual(
      interval,
    );
  });

  it('is empty at midnight, without failing', () => {
    const now = at('2026-07-15T00:00:00Z');
    expect(resolveWindow({ kind: 'today' }, setting({ clock: () => now }))).toEqual({
      from: now,
      to: now,
    });
  });
});

describe('a preset', () => {
  const resolve = (preset: WindowPreset, changes: Partial<WindowSetting>): Interval =>
    resolveWindow({ kind: 'preset', preset }, setting(changes));

  it.each([
    ['2026-07-15T10:00:00Z', 'UTC', '2026-07-14T00:00:00Z', '2026-07-15T00:00:00Z'],
    ['2026-07-15T23:00:00Z', 'Europe/Berlin', '2026-07-14T22:00:00Z', '2026-07-15T22:00:00Z'],
    ['2026-03-30T10:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2011-12-30T12:00:00Z', 'Pacific/Apia', '2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z'],
  ])('YESTERDAY at %s in %s is from %s to %s', (now, timeZone, from, to) => {
    expect(resolve('YESTERDAY', { clock: () => at(now), timeZone })).toEqual({
      from: at(from),
      to: at(to),
    });
  });

  it.each([
    [{ from: 600, to: 1500 }, { from: 1200, to: 1500 }, 'the last one, just complete'],
    [{ from: 600, to: 1560 }, { from: 1200, to: 1500 }, 'the last complete one'],
    [{ from: 600, to: 1440 }, { from: 900, to: 1200 }, 'the one before an incomplete one'],
    [{ from: 1260, to: 1500 }, { from: 1260, to: 1500 }, 'one that the data starts in'],
    [{ from: 1260, to: 1380 }, { from: 1260, to: 1380 }, 'all there is of the only one'],
    [{ from: 1200, to: 1380 }, { from: 1200, to: 1380 }, 'all there is of the only one'],
    [{ from: 1500, to: 1560 }, { from: 1500, to: 1560 }, 'not one that ended before the data'],
    [
      { from: 1440, to: 1560 },
      { from: 1440, to: 1500 },
      'the end of one, before an incomplete one',
    ],
  ])('LATEST_TOPPER_BUCKET of %j is %j: %s', (available, interval) => {
    expect(resolve('LATEST_TOPPER_BUCKET', { available })).toEqual(interval);
  });

  it('ALL_AVAILABLE is the available interval', () => {
    const available = { from: 600, to: 1500 };
    expect(resolve('ALL_AVAILABLE', { available })).toEqual(available);
  });

  it.each(['LATEST_TOPPER_BUCKET', 'ALL_AVAILABLE'] as const)(
    '%s is empty without data',
    (preset) => {
      expect(resolve(preset, { available: null })).toEqual({ from: NOW, to: NOW });
    },
  );

  it('LATEST_TOPPER_BUCKET lies inside the available interval and is not empty', () => {
    const times = fc.tuple(fc.nat(10_000), fc.integer({ min: 1, max: 10_000 }));
    fc.assert(
      fc.property(times, ([from, length]) => {
        const available = { from, to: from + length };
        const latest = resolve('LATEST_TOPPER_BUCKET', { available });
        expect(latest.from).toBeGreaterThanOrEqual(available.from);
        expect(latest.to).toBeLessThanOrEqual(available.to);
        expect(latest.from).toBeLessThan(latest.to);
        expect(latest.to - latest.from).toBeLessThanOrEqual(300);
      }),
    );
  });
});

describe('adjacent windows', () => {
  it('share no bucket and lose none: [a,b) and [b,c) are [a,c)', () => {
    const cuts = fc
      .tuple(fc.nat(5000), fc.nat(5000), fc.nat(5000))
      .map((times) => times.sort((x, y) => x - y));
    const bucketSizes = fc.constantFrom(1, 7, 60, 300);
    const bucketsOf = (interval: Interval, size: number): number[] => {
      const { first, count } = stepsOf(interval, size, size);
      return Array.from({ length: count }, (_, i) => first + i * size);
    };
    fc.assert(
      fc.property(cuts, bucketSizes, ([a = 0, b = 0, c = 0], size) => {
        const parts = [
          ...bucketsOf({ from: a, to: b }, size),
          ...bucketsOf({ from: b, to: c }, size),
        ];
        expect(parts).toEqual(bucketsOf({ from: a, to: c }, size));
      }),
    );
  });
});
