import { expect, it } from 'vitest';
import type { NotifiedSink } from '../../../db/sql/alert-deliveries.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { AlertmanagerSender } from '../../../server/alerts/notify/alertmanager-sender.ts';
import { NotificationTally } from '../../../server/alerts/notify/notification-metrics.ts';
import { Outcomes, type SendingOptions } from '../../../server/alerts/notify/outcomes.ts';
import { WebhookSender } from '../../../server/alerts/notify/webhook-sender.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { collectingStream } from '../../support/http/collecting-stream.ts';

const SINK: NotifiedSink = {
  sinkId: 1,
  contextId: 1,
  context: 'lab',
  name: 'noc',
  kind: 'webhook',
  url: 'http://sink/',
  urlEnv: null,
  secretEnv: null,
};

/** As many as a webhook is sent at once. */
const DUE = Array.from(
  { length: LIMITS.webhookRequests },
  (_, i) => ({ sinkId: 1, change: 'began', event: { eventId: `e${i}` } }) as never,
);

it('a failure of a sink that is gone is forgotten', async () => {
  const logged: string[] = [];
  const outcomes = new Outcomes({
    onDatabase: async () => [] as never,
    log: createLog('debug', collectingStream(logged)),
    tally: new NotificationTally(),
    retries: { firstMs: 1, longestMs: 1, giveUpMs: 1 },
  });
  const warnings = () => logged.filter((line) => line.includes('cannot be notified')).length;
  await outcomes.failed(SINK, [], 'no answer');
  outcomes.note([SINK]);
  await outcomes.failed(SINK, [], 'no answer');
  expect(warnings()).toBe(1);
  outcomes.note([]);
  await outcomes.failed(SINK, [], 'no answer');
  expect(warnings()).toBe(2);
});

it.each([
  ['a webhook', WebhookSender],
  ['an Alertmanager', AlertmanagerSender],
])('what is being sent to %s that is gone is forgotten', (_, Sender) => {
  const never = new Promise<never>(() => undefined);
  const variable = () => undefined;
  const options = { onDatabase: () => never, clock: () => 0, variable };
  const sender = new Sender(options as Partial<SendingOptions> as SendingOptions);
  const unsent = sender.wanted(SINK);
  expect(unsent.most).toBeGreaterThan(0);
  expect(sender.send(SINK, DUE)).not.toEqual([]);
  sender.note([SINK]);
  expect(sender.wanted(SINK).most).toBe(0);
  sender.note([]);
  expect(sender.wanted(SINK)).toEqual(unsent);
});
