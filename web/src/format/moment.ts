import { counted } from './counted.ts';

/** Formats times as the clocks of a zone show them. */
export type Moments = {
  readonly zone: string;
  /** `21 Nov 2026, 15:40`, with seconds if they are not zero. */
  full(at: number): string;
  /** `Sat 21 Nov 2026, 09:40 – 15:40`: what both ends have in common appears once. */
  range(from: number, to: number): string;
  /**
   * `Europe/Berlin (UTC+01:00)`: the zone and its offset at that time; if its clocks change within
   * it, `(UTC+02:00, UTC+01:00)`.
   */
  name(from: number, to: number): string;
  /** `2026-11-21T15:40:00`, for the fields in which dates are typed. */
  field(at: number): string;
};

export const viewerZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function momentsIn(zone: string): Moments {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options });
  const day = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const clock = format({ hour: '2-digit', minute: '2-digit' });
  const exactClock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const offsetFormat = format({ timeZoneName: 'longOffset' });
  const clockAt = (at: number) => (at % 60 === 0 ? clock : exactClock).format(at * 1000);
  const dayAt = (at: number) => day.format(at * 1000).replace(',', '');
  const offset = (at: number) => {
    const part = offsetFormat.formatToParts(at * 1000).find(({ type }) => type === 'timeZoneName');
    return (part?.value ?? 'GMT').replace('GMT', 'UTC').replace('-', '\u2212');
  };
  return {
    zone,
    name: (from, to) => {
      const plain = zone.replaceAll('_', ' ');
      const offsets = new Set(momentsWithin(from, to).map(offset));
      return plain === 'UTC' ? plain : `${plain} (${[...offsets].join(', ')})`;
    },
    full: (at) => `${dayAt(at)}, ${clockAt(at)}`,
    range: (from, to) =>
      dayAt(from) === dayAt(to)
        ? `${dayAt(from)}, ${clockAt(from)} – ${clockAt(to)}`
        : `${dayAt(from)}, ${clockAt(from)} – ${dayAt(to)}, ${clockAt(to)}`,
    field: (at) => fieldOf(at, zone),
  };
}

/** Returns both ends and some moments between: in a year, enough to hit both offsets of a zone. */
const momentsWithin = (from: number, to: number): readonly number[] =>
  Array.from({ length: 25 }, (_, i) => from + ((to - from) * i) / 24);

const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

function fieldOf(at: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = new Map(format.formatToParts(at * 1000).map(({ type, value }) => [type, value]));
  const [year = '', month, day, hour, minute, second] = PARTS.map((part) => parts.get(part));
  return `${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
}

/**
 * Returns the second at which the clocks of a zone show this; null if the text is not a time. Of
 * two such seconds it is the earlier, and a skipped time is read by the clocks before the change
 * (RFC 9557, `compatible`).
 */
export function parseField(text: string, zone: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):([0-5]\d)(?::([0-5]\d))?)?$/.exec(text.trim());
  if (!match) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  if (!Number.isFinite(asUtc) || fieldOf(asUtc, 'UTC').slice(0, 10) !== text.trim().slice(0, 10)) {
    return null;
  }
  const DAY = 86_400;
  const before = asUtc - shiftAt(asUtc - DAY, zone);
  const after = asUtc - shiftAt(asUtc + DAY, zone);
  const isShown = (at: number) => at + shiftAt(at, zone) === asUtc;
  return isShown(before) ? before : isShown(after) ? after : before;
}

/** Returns the text of a field that shows a time to the minute. */
export const minuteField = (at: number, { field }: Moments): string => field(at).slice(0, 16);

/**
 * Returns the second that such a field shows; null if its text is not a time. While it shows what
 * it showed `first`, it is exactly that second: a minute has no seconds, and when summer time ends,
 * an hour has the same times as the one before.
 */
export const parseMinuteField = (
  text: string,
  first: number | null,
  moments: Moments,
): number | null =>
  first !== null && text === minuteField(first, moments) ? first : parseField(text, moments.zone);

/** Returns the seconds by which the clocks of the zone are ahead of UTC. */
const shiftAt = (at: number, zone: string): number =>
  Date.parse(`${fieldOf(at, zone)}Z`) / 1000 - at;

/** Formats a duration by its two largest parts: `6 hours`, `1 day 2 hours`. */
export function longDuration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor((seconds % 86_400) / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(Math.max(first, 0), first + 2)
    .filter(([count]) => count > 0)
    .map(([count, name]) => counted(count, name))
    .join(' ');
}
