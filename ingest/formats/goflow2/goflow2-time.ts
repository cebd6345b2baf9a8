import { shown } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/time/iso-time.ts';
import type { Flow } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { endsTooEarly, type FlowRecord } from '../fields/flow-fields.ts';
import { parseTimestamp } from '../fields/zeek-time.ts';

/** A field that may hold a time, and how many microseconds its unit has. */
type TimeField = readonly [name: string, unitUs: number];

/** Nanoseconds since version 2; before it seconds, and later milliseconds besides. */
const fields = (name: string): readonly TimeField[] => [
  [`${name}_ns`, 1e-3],
  [`${name}_ms`, 1e3],
  [name, 1e6],
];

const START = fields('time_flow_start');
const END = fields('time_flow_end');
const RECEIVED = fields('time_received');

/**
 * When a flow began and how long it lasted, in whole microseconds. Samples of sFlow have no span of
 * their own: they are of the moment in which they were received.
 */
export function goflow2Time(record: FlowRecord): Pick<Flow, 'startUs' | 'durationUs'> {
  const end = timeIn(record, END);
  const startUs = timeIn(record, START) ?? end ?? timeIn(record, RECEIVED);
  if (startUs === null) throw new BadLine('time_flow_start_ns or time_received_ns is missing');
  const endUs = end ?? startUs;
  if (endUs >= startUs) return { startUs, durationUs: endUs - startUs };
  throw endsTooEarly(isoTime(startUs / 1e6), isoTime(endUs / 1e6));
}

/** The first of the fields that is set, in whole microseconds; 0 stands for none. */
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

/** Of nanoseconds the last three digits are cut off: as a number they would be rounded away. */
const inMicros = (digits: string, unitUs: number): number =>
  unitUs < 1 ? Number(digits.slice(0, -3)) : Number(digits) * unitUs;

/** goflow2 can be told to write times as `2026-07-15T10:00:00Z`. */
const momentOf = (text: string): number | null =>
  /^\d{4}-/.test(text) ? parseTimestamp(text) : null;
