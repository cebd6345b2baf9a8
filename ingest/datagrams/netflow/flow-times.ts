import { LIMITS } from '../../../domain/limits.ts';
import { unwrapDuration } from '../../formats/fields/flow-span.ts';
import { type ElementName, SLOT, TIME_PAIR_BYTES } from './elements.ts';
import { type DataRecord, numberIn, offsetOf } from './field-values.ts';

/** The clock of the exporter when it sent a datagram. */
export type SendTime = {
  /** In microseconds since 1970. */
  readonly sentUs: number;
  /** Milliseconds since it started, modulo 2^32; null: the header does not say, as in IPFIX. */
  readonly uptimeMs: number | null;
};

/** How a time is encoded. */
type TimeUnit = 'seconds' | 'milliseconds' | 'ntp' | 'microsecondsAgo' | 'uptime';

/** The field that has a time of a flow; null if the template has none. */
type TimeField = { readonly slot: number; readonly unit: TimeUnit } | null;

/** Where a template has the times of its flows. */
export type TimeFields = {
  readonly start: TimeField;
  readonly end: TimeField;
  /** When the event happened that ends a flow, of firewalls. */
  readonly event: TimeField;
};

type Candidates = readonly (readonly [ElementName, TimeUnit])[];

/** Fields by how exact they are; last those that need another time to be reckoned from. */
const STARTS: Candidates = [
  ['flowStartNanoseconds', 'ntp'],
  ['flowStartMicroseconds', 'ntp'],
  ['flowStartMilliseconds', 'milliseconds'],
  ['flowStartDeltaMicroseconds', 'microsecondsAgo'],
  ['flowStartSeconds', 'seconds'],
  ['flowStartSysUpTime', 'uptime'],
];

const ENDS: Candidates = [
  ['flowEndNanoseconds', 'ntp'],
  ['flowEndMicroseconds', 'ntp'],
  ['flowEndMilliseconds', 'milliseconds'],
  ['flowEndDeltaMicroseconds', 'microsecondsAgo'],
  ['flowEndSeconds', 'seconds'],
  ['flowEndSysUpTime', 'uptime'],
];

const EVENTS: Candidates = [
  ['observationTimeNanoseconds', 'ntp'],
  ['observationTimeMicroseconds', 'ntp'],
  ['observationTimeMilliseconds', 'milliseconds'],
  ['observationTimeSeconds', 'seconds'],
];

/** Returns which of the fields that a template has say when its flows were. */
export function timeFieldsOf(has: (name: ElementName) => boolean): TimeFields {
  const firstOf = (candidates: Candidates): TimeField => {
    const [name, unit] = candidates.find(([each]) => has(each)) ?? [];
    return name === undefined || unit === undefined ? null : { slot: SLOT[name], unit };
  };
  return {
    start: firstOf(STARTS),
    end: firstOf(ENDS),
    event: firstOf(EVENTS),
  };
}

/** When a flow was; the fields are set anew for each record. */
export type SpanReading = {
  startUs: number;
  durationUs: number;
  /** Whether the record has a time of its own, besides that of its message. */
  hasTime: boolean;
};

/** What times are reckoned from. */
export type TimeContext = SendTime & {
  /** When the exporter started, in milliseconds since 1970; null: it did not say. */
  readonly initMs: number | null;
};

/** No time: the field is not there, or not set. */
const UNSET = Number.NaN;

const LONGEST_US = LIMITS.datagramFlowSeconds * 1e6;

/**
 * Reads when a flow began and how long it lasted. What a record does not say is taken from the
 * rest: a flow without an end ended with its event or at its start, one without any time when its
 * message was sent.
 */
export function readFlowSpan(
  record: DataRecord,
  fields: TimeFields,
  context: TimeContext,
  span: SpanReading,
): void {
  const startUs = timeIn(record, fields.start, context);
  const endUs = timeIn(record, fields.end, context);
  span.hasTime = true;
  if (isSet(startUs) && isSet(endUs)) setSpan(span, startUs, endUs);
  else completeSpan(record, fields, context, { span, startUs, endUs });
}

type PartOfSpan = { readonly span: SpanReading; readonly startUs: number; readonly endUs: number };

function completeSpan(
  record: DataRecord,
  fields: TimeFields,
  context: TimeContext,
  { span, startUs, endUs }: PartOfSpan,
): void {
  const durationUs = durationIn(record);
  span.hasTime = isSet(startUs) || isSet(endUs) || isSet(durationUs);
  const lastedUs = isSet(durationUs) ? durationUs : 0;
  if (isSet(endUs)) {
    setSpan(span, endUs - lastedUs, endUs);
    return;
  }
  const eventUs = timeIn(record, fields.event, context);
  const isLate = isSet(startUs) && !isSet(eventUs);
  const lastUs = isLate ? startUs + lastedUs : isSet(eventUs) ? eventUs : context.sentUs;
  setSpan(span, isSet(startUs) ? startUs : lastUs - lastedUs, lastUs);
}

const isSet = (value: number): boolean => !Number.isNaN(value);

/**
 * If the exporter reckoned times from an uptime that wrapped in between, what is left of the
 * duration counts, and the end is right, as in `flowSpan`.
 */
function setSpan(span: SpanReading, startUs: number, endUs: number): void {
  const durationUs = endUs - startUs;
  const isUsual = durationUs >= 0 && durationUs <= LONGEST_US;
  const mayBeWrapped = !isUsual && Number.isSafeInteger(durationUs);
  const leftUs = mayBeWrapped ? unwrapDuration(durationUs) : null;
  span.startUs = leftUs === null ? startUs : endUs - leftUs;
  span.durationUs = leftUs ?? durationUs;
}

/** Returns a time in microseconds since 1970. A time since 1970 of 0 is not set. */
function timeIn(record: DataRecord, field: TimeField, context: TimeContext): number {
  if (field === null) return UNSET;
  const { slot, unit } = field;
  if (unit === 'ntp') return ntpTimeIn(record, slot);
  const value = numberIn(record, slot);
  if (value === -1) return UNSET;
  switch (unit) {
    case 'seconds':
      return value === 0 ? UNSET : value * 1e6;
    case 'milliseconds':
      return value === 0 ? UNSET : value * 1e3;
    case 'microsecondsAgo':
      return context.sentUs - value;
    case 'uptime':
      return uptimeUs(value, record, context);
    default:
      return unit satisfies never;
  }
}

/** Seconds from 1900 to 1970. */
const NTP_EPOCH = 2_208_988_800;

/** Seconds of NTP start again in 2036; those without the highest bit are later (RFC 4330). */
const NTP_ERA = 2 ** 32;

/**
 * Returns a time in the format of NTP, to the nearest microsecond: exporters that have no finer
 * clock cut off the binary fraction (RFC 7011, section 6.1.9).
 */
function ntpTimeIn(record: DataRecord, slot: number): number {
  const offset = offsetOf(record, slot);
  if (offset === -1) return UNSET;
  const at = record.at + offset;
  if (record.form.lengths[slot] === TIME_PAIR_BYTES) return pairTime(record.bytes, at);
  const seconds = record.bytes.readUInt32BE(at);
  const fraction = record.bytes.readUInt32BE(at + 4);
  if (seconds === 0 && fraction === 0) return UNSET;
  const sinceEpoch = (seconds < NTP_ERA / 2 ? seconds + NTP_ERA : seconds) - NTP_EPOCH;
  return sinceEpoch * 1e6 + Math.round((fraction * 1e6) / 2 ** 32);
}

/**
 * Returns a time of pmacct, whose upper halves are 0 until 2106: with anything in them it is
 * impossible, and refused.
 */
function pairTime(bytes: Buffer, at: number): number {
  const seconds = bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
  const microseconds = bytes.readUInt32BE(at + 8) * 2 ** 32 + bytes.readUInt32BE(at + 12);
  return seconds === 0 && microseconds === 0 ? UNSET : seconds * 1e6 + microseconds;
}

/**
 * Returns the time at an uptime of the exporter, which wraps at 2^32: of the possible ones, that
 * nearest to when the message was sent. IPFIX needs the time of the start for that, from the record
 * or from options (RFC 5102, section 5.9).
 */
function uptimeUs(value: number, record: DataRecord, context: TimeContext): number {
  const { sentUs, uptimeMs } = context;
  if (uptimeMs !== null) return sentUs + nearest(value - uptimeMs) * 1000;
  const given = numberIn(record, SLOT.systemInitTimeMilliseconds);
  const initMs = given > 0 ? given : context.initMs;
  return initMs === null ? UNSET : sentUs + nearest(initMs + value - sentUs / 1000) * 1000;
}

/** Returns the number nearest to 0 that differs by a multiple of 2^32. */
const nearest = (milliseconds: number): number => milliseconds | 0;

/** Returns how long a flow lasted, for which the exporter need not have said when it started. */
function durationIn(record: DataRecord): number {
  const microseconds = numberIn(record, SLOT.flowDurationMicroseconds);
  if (microseconds !== -1) return microseconds;
  const milliseconds = numberIn(record, SLOT.flowDurationMilliseconds);
  if (milliseconds !== -1) return milliseconds * 1000;
  const first = numberIn(record, SLOT.flowStartSysUpTime);
  const last = numberIn(record, SLOT.flowEndSysUpTime);
  return first === -1 || last === -1 ? UNSET : nearest(last - first) * 1000;
}
