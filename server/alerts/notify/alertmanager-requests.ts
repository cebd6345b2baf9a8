import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Notification } from './notification.ts';

/** A change of an event that an Alertmanager is to be sent as an alert. */
export type ReportedChange = Notification & {
  readonly change: AlertChange;
  /** false: it was delivered before, and is only repeated. */
  readonly isDue: boolean;
};

export const postableAlertOf = (told: ReportedChange, nowMs: number): PostableAlert =>
  told.change === 'ended' ? endedAlert(told, nowMs) : firingAlert(told, nowMs);

/**
 * Divides changes among requests that a proxy with a limit passes on, what is due before what is
 * only repeated: if a later request fails, the next attempt need not begin with the same. Changes
 * with the same labels, which are the same alert to Alertmanager, keep their order and come one
 * after the other, in one request if they fit: an alert that fires again is not shown as ended
 * between two requests.
 */
export function alertmanagerRequests(
  changes: readonly ReportedChange[],
  nowMs: number,
): (readonly ReportedChange[])[] {
  const sized = changes.map((change) => {
    const alert = postableAlertOf(change, nowMs);
    const bytes = Buffer.byteLength(JSON.stringify(alert)) + ','.length;
    return { change, bytes, labels: JSON.stringify(alert.labels) };
  });
  const requests: ReportedChange[][] = [];
  let room = 0;
  const alerts = [...groupBy(sized, ({ labels }) => labels).values()].map((same) => ({
    same,
    isDue: same.some(({ change }) => change.isDue),
  }));
  for (const { same } of alerts.toSorted((a, b) => Number(b.isDue) - Number(a.isDue))) {
    if (same.reduce((sum, { bytes }) => sum + bytes, 0) > room) room = 0;
    for (const { change, bytes } of same) {
      const last = bytes > room ? undefined : requests.at(-1);
      if (last) last.push(change);
      else requests.push([change]);
      room = (last ? room : LIMITS.alertmanagerBytes) - bytes;
    }
  }
  return requests;
}

/** An alert as Alertmanager's API v2 takes it (its `postableAlert`). */
type PostableAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
};

/** Returns the alert of a firing event. It ends by itself unless it is sent again. */
const firingAlert = (notification: Notification, nowMs: number): PostableAlert =>
  postable(notification, {
    startsMs: Math.min(notification.event.startedAt * 1000, nowMs),
    endsMs: nowMs + LIMITS.alertmanagerEndsMs,
  });

/**
 * Returns the alert of an event that has ended. Its times come from the data, which may be ahead of
 * the clock. They are capped at the clock, because Alertmanager treats an alert that ends in the
 * future as firing.
 */
function endedAlert(notification: Notification, nowMs: number): PostableAlert {
  const { startedAt, endedAt } = notification.event;
  const endsMs = endedAt === null ? nowMs : Math.min(endedAt * 1000, nowMs);
  return postable(notification, { startsMs: Math.min(startedAt * 1000, endsMs), endsMs });
}

function postable(
  { event, label }: Notification,
  { startsMs, endsMs }: { readonly startsMs: number; readonly endsMs: number },
): PostableAlert {
  return {
    labels: withValues({
      alertname: event.alert,
      context: event.context,
      group: event.groupName,
      meter: event.meterName,
      severity: event.severity,
      key: event.key,
    }),
    annotations: withValues({ label, value: event.value, description: event.description }),
    startsAt: new Date(startsMs).toISOString(),
    endsAt: new Date(endsMs).toISOString(),
  };
}

/** Leaves out empty labels, which Alertmanager treats as missing. */
const withValues = (texts: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text ? [[name, text] as const] : [])),
  );
