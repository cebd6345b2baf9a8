import { shown } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/time/iso-time.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { parseTimestamp } from '../fields/decimal-time.ts';
import { endsTooEarly, type FlowRecord } from '../fields/flow-fields.ts';
import { type FlowSpan, flowSpan } from '../fields/flow-span.ts';
import type { LocalTimeReader } from '../fields/local-time.ts';

/**
 * Returns when the traffic of a line was seen, in whole microseconds: from `timestamp_start` to
 * `timestamp_end` if these are given. Otherwise all of it belongs to the start of pmacct's time
 * bin, `stamp_inserted` (operations, "pmacct").
 */
export function pmacctTime(record: FlowRecord, localTime: LocalTimeReader): FlowSpan {
  const end = timeIn(record, 'timestamp_end', localTime);
  const startUs =
    timeIn(record, 'timestamp_start', localTime) ??
    end ??
    timeIn(record, 'stamp_inserted', localTime);
  if (startUs === null) {
    throw new BadLine(
      'timestamp_start or stamp_inserted must be given: add timestamp_start to `aggregate` in the ' +
        'settings of pmacct, or set print_history or kafka_history',
    );
  }
  const endUs = end ?? startUs;
  const span = flowSpan(startUs, endUs);
  if (span !== null) return span;
  throw endsTooEarly(isoTime(startUs / 1e6), isoTime(endUs / 1e6));
}

/** What pmacct writes for an unknown time, in each of its forms. */
const NO_TIME = /^(0000-00-00[ T]00:00:00.*|0+(\.0*)?)$/;

export const hasPmacctTime = (record: FlowRecord): boolean =>
  ['timestamp_start', 'timestamp_end', 'stamp_inserted'].some((field) => {
    const text = record.text(field);
    return text !== undefined && !NO_TIME.test(text);
  });

/**
 * Reads a local time, a time with a zone (timestamps_rfc9557), or seconds since 1970
 * (timestamps_since_epoch).
 */
function timeIn(record: FlowRecord, field: string, localTime: LocalTimeReader): number | null {
  const text = record.text(field);
  if (text === undefined || NO_TIME.test(text)) return null;
  const micros = localTime(text) ?? parseTimestamp(text);
  if (micros !== null && micros >= 0) return micros;
  throw new BadLine(`${field} must look like 2026-07-15 10:00:00.000000, got ${shown(text)}`);
}
