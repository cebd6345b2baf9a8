import { LIMITS } from '../../../domain/limits.ts';
import type { Notification } from './notification.ts';

/** An alert as Alertmanager's API v2 takes it (its `postableAlert`). */
export type PostableAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
};

/** Returns the alert of a firing event. It ends by itself unless it is sent again. */
export const firingAlert = (notification: Notification, nowMs: number): PostableAlert =>
  postable(notification, {
    startsMs: Math.min(notification.event.startedAt * 1000, nowMs),
    endsMs: nowMs + LIMITS.alertmanagerEndsMs,
  });

/**
 * Returns the alert of an event that has ended. Its times come from the data, which may be ahead of
 * the clock. They are capped at the clock, because Alertmanager treats an alert that ends in the
 * future as firing.
 */
export function endedAlert(notification: Notification, nowMs: number): PostableAlert {
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
