/** 2026-07-15T10:00:00Z: ISO 8601 of seconds since the epoch. */
export const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** A window in words. */
export const windowText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${isoTime(from)} to ${isoTime(to)} (${to - from} s)`;
