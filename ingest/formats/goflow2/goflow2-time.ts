import { shown } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/time/iso-time.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { parseTimestamp } from '../fields/decimal-time.ts';
import { endsTooEarly, type FlowRecord } from '../fields/flow-fields.ts';
import { type FlowSpan, flowSpan } from '../fields/flow-span.ts';

/** A field that may hold a time, and the number of microseconds in its unit. */
type TimeField = readonly [name: string, unitUs: number];

/**
 * Returns the fields for a time: nanoseconds since version 2; before that seconds, and later
 * milliseconds as well.
 */
const fields = (name: string): readonly TimeField[] => [
  [`${name}_ns`, 1e-3],
  [`${name}_ms`, 1e3],
  [name, 1e6],
];

const START = fields('time_flow_start');
const END = fields('time_flow_end');
const RECEIVED = fields('time_received');

/**
 * Returns when a flow began and how long it lasted, in whole microseconds. sFlow samples have no
 * duration of their own: they belong to the moment in which they were received.
 */
export function goflow2Time(record: FlowRecord): FlowSpan {
  const end = timeIn(record, END);
  const startUs = timeIn(record, START) ?? end ?? timeIn(record, RECEIVED);
  if (startUs === null) throw new BadLine('time_flow_start_ns or time_received_ns is missing');
  const endUs = end ?? startUs;
  const span = flowSpan(startUs, endUs);
  if (span !== null) return span;
  throw endsTooEarly(isoTime(startUs / 1e6), isoTime(endUs / 1e6));
}

/** Returns whether a record has a time of its own, besides that of its arrival. */
export const hasFlowTime = (record: FlowRecord): boolean =>
  timeIn(record, START) !== null || timeIn(record, END) !== null;

/**
 * Returns the first of the fields that is set, in whole microseconds; 0 means that it is not set.
 */
function timeIn(record: FlowRecord, names: readonly TimeField[]): number | null {
  for (const [name, unitUs] of names) {
    const text = record.text(name);
    if (text !== undefined && text !== '' && text !== '0') return microsOf(name, unitUs, text);
  }
  return null;
}

function microsOf(name: string, unitUs: number, text: string): number {
  const micros = /^\d+$/.test(text) ? inMicros(text, unitUs) : momentOf(text);
  if (micros !== null && Number.isSafeInteger(micros)) return micros;
  throw new BadLine(`${name} must be a time since 1970 in whole units, got ${shown(text)}`);
}

/**
 * Converts digits to microseconds. Cuts off the last three digits of nanoseconds as text, because a
 * number would round them.
 */
const inMicros = (digits: string, unitUs: number): number =>
  unitUs < 1 ? Number(digits.slice(0, -3)) : Number(digits) * unitUs;

/** Parses a time such as `2026-07-15T10:00:00Z`, which goflow2 can be configured to write. */
const momentOf = (text: string): number | null =>
  /^\d{4}-/.test(text) ? parseTimestamp(text) : null;
