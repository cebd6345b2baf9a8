import { invalidWindow } from '../errors.ts';
import {
  type EpochSeconds,
  floorTo,
  type Interval,
  intersect,
  MAX_EPOCH_SECONDS,
} from './interval.ts';
import { startOfDay } from './time-zone.ts';

export type WindowPreset = 'TODAY' | 'YESTERDAY' | 'LATEST_TOPPER_BUCKET' | 'ALL_AVAILABLE';

/** A time window as requested. `today` is for a request that names none (window rule 5). */
export type WindowRequest =
  | { kind: 'recent'; seconds: number }
  | { kind: 'interval'; from: EpochSeconds; to: EpochSeconds }
  | { kind: 'preset'; preset: WindowPreset }
  | { kind: 'today' };

/** What the meaning of a window request depends on: the clock, the zone and the group's data. */
export type WindowSetting = {
  /** Called only if the window depends on it. */
  clock: () => EpochSeconds;
  timeZone: string;
  /** The group's time interval on the chosen node and probe; null without data. */
  available: Interval | null;
  /** The part of it that is not ahead of the clock; all of it if all is. */
  present: () => Interval | null;
  bucketSeconds: number;
  topperBucketSeconds: number;
};

export function resolveWindow(request: WindowRequest, setting: WindowSetting): Interval {
  switch (request.kind) {
    case 'recent':
      return recentWindow(request.seconds, setting);
    case 'interval':
      return { from: request.from, to: request.to };
    case 'today':
      return today(setting);
    case 'preset':
      return presetWindow(request.preset, setting);
    default:
      return request satisfies never;
  }
}

/** Spec, window rule 4; decision 19: anchored where the data end, not at the wall clock. */
function recentWindow(seconds: number, setting: WindowSetting): Interval {
  const to = setting.present()?.to ?? setting.clock();
  return { from: Math.max(0, floorTo(to - seconds, setting.bucketSeconds)), to };
}

/** Spec, window rule 5. At midnight itself the day is still empty. */
function today({ clock, timeZone }: WindowSetting): Interval {
  const now = clock();
  return { from: startOfDay(now, timeZone), to: now };
}

function presetWindow(preset: WindowPreset, setting: WindowSetting): Interval {
  const { clock, timeZone, available } = setting;
  switch (preset) {
    case 'TODAY':
      return today(setting);
    case 'YESTERDAY':
      return { from: startOfDay(clock(), timeZone, 1), to: startOfDay(clock(), timeZone) };
    case 'LATEST_TOPPER_BUCKET': {
      const present = setting.present();
      return present === null
        ? emptyAt(clock())
        : latestTopperBucket(present, setting.topperBucketSeconds);
    }
    case 'ALL_AVAILABLE':
      return available ?? emptyAt(clock());
    default:
      return preset satisfies never;
  }
}

const emptyAt = (time: EpochSeconds): Interval => ({ from: time, to: time });

/** Returns the newest topper bucket that has ended; if none has, the data of the newest. */
function latestTopperBucket(available: Interval, topperBucketSeconds: number): Interval {
  const ended = floorTo(available.to, topperBucketSeconds);
  const from = ended > available.from ? ended - topperBucketSeconds : ended;
  return intersect({ from, to: from + topperBucketSeconds }, available);
}

/** A window from `from` to `to`; `names` are the parameters that gave them. */
export function intervalRequest(
  from: number,
  to: number,
  names: { from: string; to: string },
): WindowRequest {
  return { kind: 'interval', ...checkInterval({ from, to }, names) };
}

/** Returns the interval if it is valid; `names` are the parameters that gave it. */
export function checkInterval(
  { from, to }: Interval,
  names: { from: string; to: string },
): Interval {
  checkTime(from, names.from);
  checkTime(to, names.to);
  if (to <= from) {
    throw invalidWindow(`${names.to} must be after ${names.from}, got ${to} with ${from}`);
  }
  return { from, to };
}

/** A window of `seconds` from `from`; `names` are the parameters that gave them. */
export function durationRequest(
  from: number,
  seconds: number,
  names: { from: string; seconds: string },
): WindowRequest {
  checkTime(from, names.from);
  checkDuration(seconds, names.seconds);
  const to = from + seconds;
  if (to > MAX_EPOCH_SECONDS) {
    throw invalidWindow(
      `${names.from} + ${names.seconds} must be at most ${MAX_EPOCH_SECONDS}, got ${to}`,
    );
  }
  return { kind: 'interval', from, to };
}

/** The newest `seconds` of available data; `name` is the parameter that gave them. */
export function recentRequest(seconds: number, name: string): WindowRequest {
  checkDuration(seconds, name);
  return { kind: 'recent', seconds };
}

function checkTime(time: number, name: string): void {
  if (Number.isInteger(time) && time >= 0 && time <= MAX_EPOCH_SECONDS) return;
  throw invalidWindow(`${name} must be a time from 0 to ${MAX_EPOCH_SECONDS}, got ${time}`);
}

function checkDuration(seconds: number, name: string): void {
  if (Number.isInteger(seconds) && seconds > 0) return;
  throw invalidWindow(`${name} must be a positive number of seconds, got ${seconds}`);
}
