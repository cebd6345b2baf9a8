import { createHmac } from 'node:crypto';
import { conditionText } from '../../../domain/alerts/condition-text.ts';
import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import { parseGuid } from '../../../domain/text/guid.ts';
import { jsonInteger, writeJson } from '../../../domain/text/write-json.ts';
import type { Notification } from './notification.ts';

export type WebhookRequest = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Returns the request to a webhook (docs/how-to/alerts.md), signed if there is a secret. */
export function webhookRequest(
  notification: Notification,
  change: AlertChange,
  secret: string | null,
): WebhookRequest {
  const body = webhookBody(notification, change);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'idempotency-key': `${notification.event.eventId}:${change}`,
  };
  if (secret === null) return { body, headers };
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { body, headers: { ...headers, 'x-countergraph-signature': signature } };
}

const webhookBody = ({ event, readable, label }: Notification, change: AlertChange): string =>
  writeJson({
    version: 1,
    event: change,
    id: event.eventId,
    context: event.context,
    alert: event.alert,
    severity: event.severity,
    group: parseGuid(event.groupGuid),
    group_name: event.groupName,
    meter: event.meter,
    key: event.key,
    readable,
    label,
    started_at: event.startedAt,
    // The body of `began` is the same, however late it is sent.
    ended_at: change === 'ended' ? event.endedAt : null,
    value: jsonInteger(BigInt(event.value)),
    condition: conditionText(event),
  });
