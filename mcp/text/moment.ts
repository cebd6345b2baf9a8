/** Formats seconds since the epoch as ISO 8601: 2026-07-15T10:00:00Z. */
export const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** Formats a window with its length. */
export const windowText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${isoTime(from)} to ${isoTime(to)} (${to - from} s)`;
