import { shown } from '../../../domain/errors.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isoTime } from '../../../domain/time/iso-time.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { parseSeconds } from '../fields/decimal-time.ts';
import { durationIn, endsTooEarly } from '../fields/flow-fields.ts';
import { type FlowSpan, flowSpan, unwrapDuration } from '../fields/flow-span.ts';
import type { ColumnRole, NfdumpRow } from './nfdump-rows.ts';

const DAY_US = 86_400e6;

type NfdumpTimes = {
  readonly startUs: number;
  /** Returns when the flow ended, null if the row does not say; called only if it matters. */
  readonly endUs: () => number | null;
};

/**
 * Returns when a flow began and how long it lasted. nfdump subtracts unsigned numbers: for a flow
 * that ends before it starts, `td` is near 2^64 milliseconds; since 1.7.5 it is 0. If a duration
 * is impossible, the row's end counts instead. If that is impossible too, the exporter's uptime may
 * have wrapped.
 */
export function nfdumpSpan(row: NfdumpRow, { startUs, endUs }: NfdumpTimes): FlowSpan {
  if (!row.has('duration')) return spanUntil(row, startUs, endUs() ?? startUs);
  const reported = reportedDuration(row);
  if (reported !== null && isPossible(reported) && reported > 0) {
    return { startUs, durationUs: reported };
  }
  if (reported === 0 && row.text(row.column('end')) === row.text(row.column('start'))) {
    return { startUs, durationUs: 0 };
  }
  const end = endUs();
  if (reported !== 0) return spanOfImpossible(row, { startUs, reported, end });
  const wrapped = end !== null && end < startUs ? flowSpan(startUs, end) : null;
  return wrapped ?? { startUs, durationUs: 0 };
}

const isPossible = (durationUs: number): boolean =>
  durationUs >= 0 && durationUs <= LIMITS.flowDays * DAY_US;

type ImpossibleSpan = {
  readonly startUs: number;
  /** The row's duration; null if the number is too large. */
  readonly reported: number | null;
  readonly end: number | null;
};

function spanOfImpossible(row: NfdumpRow, { startUs, reported, end }: ImpossibleSpan): FlowSpan {
  if (end !== null && isPossible(end - startUs)) return { startUs, durationUs: end - startUs };
  const leftUs = reported === null ? null : unwrapDuration(reported);
  if (reported !== null && leftUs !== null) {
    return { startUs: (end ?? startUs + reported) - leftUs, durationUs: leftUs };
  }
  if (end !== null) {
    const span = flowSpan(startUs, end);
    if (span !== null) return span;
    throw impossible(row, startUs, `, at ${timeText(row, 'end', end)},`);
  }
  // A duration that is only too long is refused elsewhere, in the same words for every format.
  if (reported !== null && reported >= 0) return { startUs, durationUs: reported };
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

function spanUntil(row: NfdumpRow, startUs: number, endUs: number): FlowSpan {
  const span = flowSpan(startUs, endUs);
  if (span !== null) return span;
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
