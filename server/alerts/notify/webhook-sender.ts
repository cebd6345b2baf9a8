import { createHmac } from 'node:crypto';
import type { DueDelivery, NotifiedSink, Wanted } from '../../../db/sql/alert-deliveries.ts';
import { conditionText } from '../../../domain/alerts/condition-text.ts';
import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { parseGuid } from '../../../domain/text/guid.ts';
import { jsonInteger, writeJson } from '../../../domain/text/write-json.ts';
import { describeEvents, type Notification } from './notification.ts';
import type { SendingOptions } from './outcomes.ts';
import { addressOf, postToSink, SinkFailure, secretOf } from './post-to-sink.ts';

/** Sends changes to webhooks, one per request, with a few requests at a time to each webhook. */
export class WebhookSender {
  readonly #options: SendingOptions;
  /** Names of the deliveries in progress, by sink. */
  readonly #underWay = new Map<number, Set<string>>();

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /** Notes which sinks there are: the others never return, because ids are not used again. */
  note(sinks: readonly NotifiedSink[]): void {
    const ids = new Set(sinks.map(({ sinkId }) => sinkId));
    for (const id of this.#underWay.keys()) if (!ids.has(id)) this.#underWay.delete(id);
  }

  /** Returns how many to select: the due deliveries may include those already in progress. */
  wanted({ sinkId }: NotifiedSink): Wanted {
    const busy = this.#busy(sinkId).size;
    return { sinkId, most: busy < LIMITS.webhookRequests ? busy + LIMITS.webhookRequests : 0 };
  }

  /** Sends as many as allowed; returns the requests that it has started. */
  send(sink: NotifiedSink, due: readonly DueDelivery[]): Promise<void>[] {
    const busy = this.#busy(sink.sinkId);
    const idle = due.filter((delivery) => !busy.has(nameOf(delivery)));
    return idle.slice(0, LIMITS.webhookRequests - busy.size).map(async (delivery) => {
      const name = nameOf(delivery);
      busy.add(name);
      try {
        await this.#deliver(sink, delivery);
      } finally {
        busy.delete(name);
      }
    });
  }

  async #deliver(sink: NotifiedSink, { event, change }: DueDelivery): Promise<void> {
    const { onDatabase, outcomes, variable, answerMs, signal } = this.#options;
    const changes = [{ eventId: event.eventId, change }];
    try {
      const address = addressOf(sink, variable);
      const secret = secretOf(sink, variable);
      const [notification] = await onDatabase((connection) => describeEvents(connection, [event]));
      if (!notification) return;
      const request = webhookRequest(notification, change, secret);
      await postToSink({ ...request, address, answerMs, signal });
    } catch (error) {
      if (!(error instanceof SinkFailure)) throw error;
      await outcomes.failed(sink, changes, error.message);
      return;
    }
    await outcomes.delivered(sink, changes);
    outcomes.recovered(sink);
  }

  #busy(sinkId: number): Set<string> {
    const known = this.#underWay.get(sinkId);
    if (known) return known;
    const made = new Set<string>();
    this.#underWay.set(sinkId, made);
    return made;
  }
}

const nameOf = ({ event, change }: DueDelivery): string => `${event.eventId} ${change}`;

type WebhookRequest = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Returns the request to a webhook (docs/how-to/alerts.md), signed if there is a secret. */
function webhookRequest(
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
