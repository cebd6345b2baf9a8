import type { StoredAlert } from '../../db/sql/alert-rules.ts';
import { conditionText } from '../../domain/alerts/condition-text.ts';
import type { AlertEvent } from '../../domain/alerts/decide-windows.ts';
import { joinCrossKey, splitCrossKey } from '../../domain/keys/cross-key.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { formatReadable } from '../../domain/keys/key-text.ts';
import { parseGuid } from '../../domain/text/guid.ts';
import { printable } from '../../domain/text/printable.ts';
import { jsonInteger, writeJson } from '../../domain/text/write-json.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import type { Notification } from '../../server/alerts/notify/notification.ts';
import type { AlertTestReport } from '../../server/alerts/window-reader.ts';
import { counted } from './counted.ts';

/** A rule with the names of its group and meter, and its firing events. */
export type ListedAlert = {
  readonly alert: StoredAlert;
  readonly groupName: string;
  readonly meterName: string;
  /** In the order in which they began. */
  readonly firing: readonly Notification[];
};

/** Returns a line for the rule, and one for each of its firing events. */
export function alertLines({ alert, groupName, meterName, firing }: ListedAlert): string[] {
  const { name, severity, when } = alert.rule;
  const about = when.condition === 'silent_seconds' ? groupName : `${groupName}, ${meterName}`;
  const state = [stateOf(alert), ...originOf(alert)].join('; ');
  const line = `${name} (${severity}): ${about}: ${conditionText(when)}; ${state}`;
  return [line, ...firing.map(firingLine)].map(printable);
}

function stateOf({ rule: { enabled, when }, evaluatedTo }: StoredAlert): string {
  if (!enabled) return 'disabled';
  // For rules about silence, only changes are stored.
  if (when.condition === 'silent_seconds') return 'enabled';
  return evaluatedTo === null
    ? 'no window is decided yet'
    : `decided up to ${isoTime(evaluatedTo)}`;
}

/** Returns who made a rule in the page, and who silenced it until when; empty: it was declared. */
function originOf({ origin: { madeBy, silence } }: StoredAlert): string[] {
  const why = silence?.reason ? ` (${silence.reason})` : '';
  return [
    ...(madeBy === null ? [] : [`made in the page by ${madeBy}`]),
    ...(silence ? [`silenced until ${isoTime(silence.until)} by ${silence.by}${why}`] : []),
  ];
}

function firingLine({ event, readable, label }: Notification): string {
  const named = label === readable ? readable : `${readable} (${label})`;
  const { startedAt, value, peakValue } = event;
  return (
    `  firing since ${isoTime(startedAt)}: ${event.key === null ? WITHOUT_KEY : named}, ` +
    `value ${value}, peak ${peakValue}`
  );
}

/**
 * Shown for an event without a key, which is about the whole group, or about keys beyond
 * `max_keys`.
 */
const WITHOUT_KEY = 'no single key';

/**
 * Returns the rule and its firing events as a line of JSON. Values are integers of any size
 * (decision 8).
 */
export function alertJson({ alert, groupName, firing }: ListedAlert): string {
  const { rule, guid, evaluatedTo, origin } = alert;
  return writeJson({
    alert: rule.name,
    severity: rule.severity,
    enabled: rule.enabled,
    group: parseGuid(guid),
    group_name: groupName,
    meter: rule.meterId,
    condition: conditionText(rule.when),
    window_seconds: rule.windowSeconds,
    decided_to: evaluatedTo,
    made_by: origin.madeBy,
    silenced_until: origin.silence?.until ?? null,
    silenced_by: origin.silence?.by ?? null,
    silence_reason: origin.silence?.reason ?? null,
    firing: firing.map(firingFields),
  });
}

function firingFields({ event, readable, label }: Notification) {
  const { eventId: id, key, startedAt, value, peakValue } = event;
  return {
    id,
    key,
    readable,
    label,
    started_at: startedAt,
    value: jsonInteger(BigInt(value)),
    peak_value: jsonInteger(BigInt(peakValue)),
  };
}

/** Returns a line for an event of a test. */
export function eventLine(event: AlertEvent, kinds: readonly SimpleKeyKind[]): string {
  const { key, startedAt, endedAt, value, peakValue } = event;
  const until = endedAt === null ? 'firing at the end' : `to ${isoTime(endedAt)}`;
  const about = key === null ? WITHOUT_KEY : printable(readableKey(key, kinds));
  return `${about}: from ${isoTime(startedAt)} ${until}, value ${value}, peak ${peakValue}`;
}

function readableKey(key: string, kinds: readonly SimpleKeyKind[]): string {
  const [kind = 'text'] = kinds;
  if (kinds.length <= 1) return formatReadable(kind, key);
  const parts = splitCrossKey(key) ?? [key];
  return joinCrossKey(parts.map((part, i) => formatReadable(kinds[i] ?? 'text', part)));
}

/** Returns an event of a test as a line of JSON (operations, "Since 0.7.0"). */
export function eventJson(alert: string, event: AlertEvent): string {
  const { key, startedAt, endedAt, value, peakValue } = event;
  return writeJson({
    alert,
    key,
    started_at: startedAt,
    ended_at: endedAt,
    value: jsonInteger(value),
    peak_value: jsonInteger(peakValue),
  });
}

/** Describes the result of a test. If no window could be tested, says where the data are. */
export function testSentence({ rule }: StoredAlert, report: AlertTestReport): string {
  const { windows, events, ends, data } = report;
  const named = printable(`The alert ${rule.name} (${conditionText(rule.when)})`);
  if (ends) {
    const span = `which end from ${isoTime(ends.first)} to ${isoTime(ends.last)}`;
    return `${named} has ${counted(events, 'event')} in ${counted(windows, 'window')}, ${span}.`;
  }
  const where = data
    ? `its data are from ${isoTime(data.from)} to ${isoTime(data.to)}`
    : 'there are no data for it';
  return `${named} has no window to test: ${where}.`;
}
