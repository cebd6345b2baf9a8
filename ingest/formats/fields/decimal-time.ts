const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d*))?$/;
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/;

/** Parses seconds as a Zeek log writes them, to whole microseconds, rounded; null if invalid. */
export function parseSeconds(text: string): number | null {
  const match = DECIMAL.exec(text);
  if (match) {
    const [, sign, seconds, fraction = ''] = match;
    const micros = Number(seconds) * 1e6 + fractionMicros(fraction);
    return Number.isSafeInteger(micros) ? (sign === '' ? micros : -micros) : null;
  }
  // JSON writes the shortest durations with an exponent: 9.5e-07.
  if (!/^-?\d+(\.\d+)?[eE][+-]?\d+$/.test(text)) return null;
  const micros = Math.round(Number(text) * 1e6);
  return Number.isSafeInteger(micros) ? micros : null;
}

/**
 * Parses a time in epoch seconds or ISO 8601, to whole microseconds since the epoch; null if
 * invalid.
 */
export function parseTimestamp(text: string): number | null {
  const match = ISO_8601.exec(text);
  if (!match) return parseSeconds(text);
  const [, date = '', time, fraction = '', zone] = match;
  const milliseconds = Date.parse(`${date}${time}${zone}`);
  if (Number.isNaN(milliseconds) || !isDay(date)) return null;
  return milliseconds * 1000 + fractionMicros(fraction);
}

/** Returns whether a day exists. `Date` takes 30 February for 2 March. */
const isDay = (date: string): boolean => new Date(date).getUTCDate() === Number(date.slice(-2));

/** Converts the digits after the decimal point to microseconds; the seventh digit rounds. */
function fractionMicros(digits: string): number {
  const micros = Number(digits.slice(0, 6).padEnd(6, '0'));
  return digits.charAt(6) >= '5' ? micros + 1 : micros;
}
