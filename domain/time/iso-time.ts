/** The last moment that a `Date` can hold, in seconds since 1970. */
const LAST_SECOND = 8.64e12;

/** Formats epoch seconds as `2026-07-15T10:00:00Z`, with a fraction if there is one. */
export function isoTime(seconds: number): string {
  if (!(Math.abs(seconds) <= LAST_SECOND)) return `${seconds} seconds after 1970`;
  // Round down: a time just before a bound must not look like the bound.
  const milliseconds = Math.floor(seconds * 1000);
  return new Date(milliseconds).toISOString().replace(/\.?0*Z$/, 'Z');
}
