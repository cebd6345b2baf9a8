import { shown } from '../../../domain/errors.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isoTime } from '../../../domain/time/iso-time.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { parseSeconds } from '../fields/decimal-time.ts';
import { durationIn, endsTooEarly } from '../fields/flow-fields.ts';
import type { ColumnRole, NfdumpRow } from './nfdump-rows.ts';

const DAY_US = 86_400e6;

type NfdumpSpan = {
  readonly startUs: number;
  /** Returns when the flow ended; called only if the row has that column. */
  readonly endUs: () => number;
};

/**
 * Returns how long a flow lasted, in whole microseconds. nfdump subtracts unsigned numbers: for a
 * flow that ends before it starts, `td` is near 2^64 milliseconds. If a duration is impossible, the
 * row's end counts instead, unless it is before the start.
 */
export function nfdumpDuration(row: NfdumpRow, { startUs, endUs }: NfdumpSpan): number {
  const { has } = row;
  if (!has('duration')) return has('end') ? durationUntil(row, startUs, endUs()) : 0;
  const reported = reportedDuration(row);
  if (reported !== null && reported >= 0 && reported <= LIMITS.flowDays * DAY_US) return reported;
  if (has('end')) {
    const between = endUs() - startUs;
    if (between >= 0) return between;
    throw impossible(row, startUs, `, at ${timeText(row, 'end', endUs())},`);
  }
  // A duration that is only too long is refused elsewhere, in the same words for every format.
  if (reported !== null && reported >= 0) return reported;
  throw impossible(row, startUs, '');
}

/**
 * Reads whole microseconds; null for a number that is too large for them. Throws for anything else.
 */
function reportedDuration(row: NfdumpRow): number | null {
  const field = row.column('duration');
  const text = row.text(field);
  if (text === undefined || !/^-?\d+(\.\d*)?$/.test(text)) return durationIn(row, field);
  return parseSeconds(text);
}

function impossible(row: NfdumpRow, startUs: number, end: string): BadLine {
  const field = row.column('duration');
  return new BadLine(
    `${field} must be a number of seconds, 0 or more, got ${shown(row.text(field) ?? '')}: the ` +
      `exporter says that the flow ended${end} before it started, at ` +
      `${timeText(row, 'start', startUs)}. softflowd does so in IPFIX: start it with -A milli. ` +
      'For other exporters, correct the clock or the settings',
  );
}

function durationUntil(row: NfdumpRow, startUs: number, endUs: number): number {
  if (endUs >= startUs) return endUs - startUs;
  throw endsTooEarly(timeText(row, 'start', startUs), timeText(row, 'end', endUs));
}

/**
 * Returns a time as the row has it, if that is a date: it is in nfdump's zone, and can be searched
 * for.
 */
function timeText(row: NfdumpRow, role: ColumnRole, timeUs: number): string {
  const text = row.text(row.column(role)) ?? '';
  return /^[\d.]+$/.test(text) ? isoTime(timeUs / 1e6) : text;
}
