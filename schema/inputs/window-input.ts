import type { Interval } from '../../domain/time/interval.ts';
import {
  checkInterval,
  durationRequest,
  intervalRequest,
  recentRequest,
  type WindowRequest,
} from '../../domain/time/window.ts';
import { windowDate } from '../../domain/time/window-date.ts';
import { builder } from '../builder.ts';
import { WindowPresetEnum } from '../enums.ts';

export const TimeIntervalInput = builder.inputType('TimeIntervalInput', {
  description: 'A half-open interval: `from` is in it, `to` is not.',
  fields: (t) => ({
    from: t.field({ type: 'EpochSeconds', required: true, description: 'Its start.' }),
    to: t.field({ type: 'EpochSeconds', required: true, description: 'Its end, not included.' }),
  }),
});

const WindowDurationInput = builder.inputType('WindowDurationInput', {
  description: 'A window by its start and its length.',
  fields: (t) => ({
    from: t.field({ type: 'EpochSeconds', required: true, description: 'Its start.' }),
    seconds: t.int({ required: true, description: 'Its length in seconds.' }),
  }),
});

const DateRangeInput = builder.inputType('DateRangeInput', {
  description:
    'A window by dates, each as ISO 8601 or as people write it: `2026-07-15`, `2026-07-15T10:00`, ' +
    '`2026-07-15T10:00:00+02:00`, `Jul 15 2026 10:00:00 AM`. A date alone is its first moment; ' +
    'without `Z` or an offset it is in `timeZone`. Fractions of a second are dropped.',
  fields: (t) => ({
    from: t.string({ required: true, description: 'Its start: `2026-07-15T10:00`.' }),
    to: t.string({ required: true, description: 'Its end, not included: `2026-07-15T11:00`.' }),
  }),
});

export const WindowInput = builder.inputType('WindowInput', {
  description: 'Exactly one of these. Left out: the current day from midnight until now.',
  isOneOf: true,
  fields: (t) => ({
    recentSeconds: t.int({ description: 'The most recent N seconds of available data.' }),
    interval: t.field({ type: TimeIntervalInput, description: 'From one time to another.' }),
    startingAt: t.field({ type: WindowDurationInput, description: 'A start and a length.' }),
    dates: t.field({ type: DateRangeInput, description: 'From one date to another.' }),
    preset: t.field({ type: WindowPresetEnum, description: 'A named window.' }),
  }),
});

type GivenWindow = typeof WindowInput.$inferInput;

/** Errors: `BAD_USER_INPUT` for an invalid window. */
export function decodeWindow(
  given: GivenWindow | null | undefined,
  timeZone: string,
): WindowRequest {
  if (given?.recentSeconds != null) return recentRequest(given.recentSeconds, 'recentSeconds');
  if (given?.interval) {
    const { from, to } = given.interval;
    return intervalRequest(from, to, { from: 'interval.from', to: 'interval.to' });
  }
  if (given?.startingAt) {
    const names = { from: 'startingAt.from', seconds: 'startingAt.seconds' };
    return durationRequest(given.startingAt.from, given.startingAt.seconds, names);
  }
  if (given?.dates) {
    const from = windowDate(given.dates.from, 'dates.from', timeZone);
    const to = windowDate(given.dates.to, 'dates.to', timeZone);
    return intervalRequest(from, to, { from: 'dates.from', to: 'dates.to' });
  }
  if (given?.preset) return { kind: 'preset', preset: given.preset };
  return { kind: 'today' };
}

/** Errors: `BAD_USER_INPUT` for an invalid interval. */
export function decodeInterval(
  given: typeof TimeIntervalInput.$inferInput | null | undefined,
  name: string,
): Interval | null {
  if (!given) return null;
  return checkInterval(given, { from: `${name}.from`, to: `${name}.to` });
}
