import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Alertmanager, startAlertmanager } from '../support/programs/alertmanager.ts';
import { type NotifierLab, openNotifierLab, until } from './notifier-lab.ts';
import { startWebhook, type WebhookStandIn } from './webhook-stand-in.ts';

let lab: NotifierLab;

beforeAll(async () => {
  lab = await openNotifierLab();
});

afterAll(() => lab.close());

afterEach(() => lab.clear());

describe('a real Alertmanager', () => {
  let alertmanager: Alertmanager;
  let receiver: WebhookStandIn;

  beforeAll(async () => {
    receiver = await startWebhook();
    alertmanager = await startAlertmanager(`
route:
  receiver: stand-in
  group_by: ['...']
  group_wait: 10ms
  group_interval: 50ms
receivers:
  - name: stand-in
    webhook_configs:
      - url: ${receiver.url}
`);
  });

  afterAll(async () => {
    await alertmanager.remove();
    await receiver.stop();
  });

  const addIt = () => lab.addSink({ kind: 'alertmanager', url: `${alertmanager.url}/` });
  /** The statuses that its receiver got for a key, in order. */
  const statusesOf = (key: string) =>
    receiver.received
      .flatMap(({ body }) => body['alerts'] as { status: string; labels: { key?: string } }[])
      .filter(({ labels }) => labels.key === key)
      .map(({ status }) => status);

  it('shows a firing alert, and passes on its beginning and its end', async () => {
    const startedAt = Math.floor(Date.now() / 1000) - 600;
    await addIt();
    lab.startNotifier();
    const id = await lab.begin({ startedAt });
    await until(async () => (await alertmanager.firing()).length === 1);
    const [alert] = await alertmanager.firing();
    expect(alert?.labels).toEqual({
      alertname: 'big talker',
      context: 'lab',
      group: 'Hosts',
      meter: 'Total',
      severity: 'warning',
      key: 'C0.A8.01.0A',
    });
    expect(alert?.annotations).toEqual({
      label: 'printer',
      value: '1234567890',
      description: 'somebody sends a lot',
    });
    expect(Date.parse(alert?.startsAt ?? '')).toBe(startedAt * 1000);
    await until(() => statusesOf('C0.A8.01.0A').length === 1);
    await lab.finish(id, startedAt + 300);
    await until(async () => (await alertmanager.firing()).length === 0);
    await until(() => statusesOf('C0.A8.01.0A').length === 2);
    expect(statusesOf('C0.A8.01.0A')).toEqual(['firing', 'resolved']);
  });

  it('that dies and loses its state gets what fires and what ended meanwhile', async () => {
    await addIt();
    lab.startNotifier({ repeatMs: 100 });
    const first = await lab.begin({ key: 'C0.A8.02.01' });
    await lab.begin({ key: 'C0.A8.02.02' });
    await until(() => lab.isAllTold());
    await alertmanager.kill();
    await lab.finish(first);
    const third = await lab.begin({ key: 'C0.A8.02.03' });
    await alertmanager.start();
    await until(() => lab.isAllTold());
    const keys = async () => (await alertmanager.firing()).map(({ labels }) => labels['key']);
    await until(async () => (await keys()).length === 2);
    expect((await keys()).sort()).toEqual(['C0.A8.02.02', 'C0.A8.02.03']);
    await lab.finish(third);
    await until(async () => (await keys()).length === 1);
  });
});
