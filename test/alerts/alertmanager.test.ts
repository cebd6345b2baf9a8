import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NotifierLab, openNotifierLab, STARTED, until } from './notifier-lab.ts';
import { answersWith, startWebhook, takes, type WebhookStandIn } from './webhook-stand-in.ts';

let lab: NotifierLab;

beforeAll(async () => {
  lab = await openNotifierLab();
});

afterAll(() => lab.close());

afterEach(() => lab.clear());

type Posted = {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
};

describe('what is sent to an Alertmanager', () => {
  let stand: WebhookStandIn;
  const now = (STARTED + 1000) * 1000;

  beforeEach(async () => {
    stand = await startWebhook();
  });

  afterEach(() => stand.stop());

  const posts = () => stand.received.map(({ text }) => JSON.parse(text) as Posted[]);
  const addIt = () => lab.addSink({ kind: 'alertmanager', url: stand.url });
  const seconds = (text = '') => Date.parse(text) / 1000;

  it('is all firing alerts in one request, which expire after three minutes', async () => {
    await lab.begin({ key: 'C0.A8.01.01' });
    await lab.begin({ key: 'C0.A8.01.02', startedAt: STARTED + 300 });
    await addIt();
    lab.startNotifier({ clock: () => now });
    await until(() => stand.received.length > 0);
    expect(stand.received[0]?.path).toBe('/hook/api/v2/alerts');
    expect(
      posts()[0]?.map(({ labels, startsAt, endsAt }) => [
        labels['key'],
        seconds(startsAt),
        seconds(endsAt),
      ]),
    ).toEqual([
      ['C0.A8.01.01', STARTED, now / 1000 + 180],
      ['C0.A8.01.02', STARTED + 300, now / 1000 + 180],
    ]);
  });

  it('is repeated while an alert fires, and sent once with its end', async () => {
    await addIt();
    lab.startNotifier({ clock: () => now, repeatMs: 20 });
    const id = await lab.begin();
    await until(() => stand.received.length >= 3);
    await lab.finish(id);
    await until(() => lab.isAllTold());
    const ends = posts().map((alerts) => alerts.map(({ endsAt }) => seconds(endsAt)));
    expect(ends.at(-1)).toEqual([STARTED + 300]);
    expect(new Set(ends.slice(0, -1).flat())).toEqual(new Set([now / 1000 + 180]));
  });

  it('is what it was told of before a silence, and the rest once the silence is over', async () => {
    await lab.sql(
      `update alerts set silenced_until = now() + interval '1 hour', silenced_by = 'ada'`,
    );
    const held = await lab.begin({ key: 'C0.A8.01.01' });
    await lab.sql('update alert_events set is_held = true where event_id = $1', [held]);
    await addIt();
    await lab.begin({ key: 'C0.A8.01.02', startedAt: STARTED + 300 });
    lab.startNotifier({ clock: () => now, repeatMs: 20 });
    const keys = () => posts().map((alerts) => alerts.map(({ labels }) => labels['key']));
    await until(() => stand.received.length >= 3);
    expect(new Set(keys().flat())).toEqual(new Set(['C0.A8.01.02']));
    await lab.sql('update alerts set silenced_until = null, silenced_by = null');
    await until(() => keys().at(-1)?.length === 2);
    expect(keys().at(-1)).toEqual(['C0.A8.01.01', 'C0.A8.01.02']);
  });

  it('never starts or ends later than now, even if events are ahead of the clock', async () => {
    await addIt();
    lab.startNotifier({ clock: () => STARTED * 1000 });
    const id = await lab.begin({ startedAt: STARTED + 600 });
    await lab.finish(id, STARTED + 900);
    await until(() => lab.isAllTold());
    const times = posts().map(([alert]) => [seconds(alert?.startsAt), seconds(alert?.endsAt)]);
    expect(times).toEqual([
      [STARTED, STARTED + 180],
      [STARTED, STARTED],
    ]);
  });

  it('lists the ended events of a key before the one that fires again', async () => {
    stand.behave(answersWith(503));
    await addIt();
    lab.startNotifier({ clock: () => now });
    const first = await lab.begin();
    await lab.finish(first);
    await lab.begin({ startedAt: STARTED + 600 });
    await until(() => stand.received.length >= 2);
    stand.behave(takes);
    await until(() => lab.isAllTold());
    const last = posts()
      .at(-1)
      ?.map(({ endsAt }) => seconds(endsAt));
    expect(last).toEqual([STARTED + 300, now / 1000 + 180]);
  });

  it('has no empty labels', async () => {
    await addIt();
    lab.startNotifier({ clock: () => now });
    await lab.begin({ key: null });
    await until(() => stand.received.length > 0);
    expect(posts()[0]?.[0]).toMatchObject({
      labels: {
        alertname: 'big talker',
        context: 'lab',
        group: 'Hosts',
        meter: 'Total',
        severity: 'warning',
      },
      annotations: { value: '1234567890', description: 'somebody sends a lot' },
    });
    expect(posts()[0]?.[0]?.labels).not.toHaveProperty('key');
  });

  it('goes to another Alertmanager as soon as the sink has its address', async () => {
    const other = await startWebhook();
    try {
      await addIt();
      lab.startNotifier({ clock: () => now });
      await lab.begin();
      await until(() => lab.isAllTold());
      await lab.sql('update alert_sinks set url = $1', [other.url]);
      await until(() => other.received.length === 1);
    } finally {
      await other.stop();
    }
  });

  it('goes to a new address only when no request to the old one is in progress', async () => {
    const other = await startWebhook();
    try {
      let answer: () => void = () => undefined;
      stand.behave((response) => {
        answer = () => response.writeHead(200).end();
      });
      await addIt();
      lab.startNotifier({ clock: () => now });
      await lab.begin();
      await until(() => stand.received.length === 1);
      await lab.sql('update alert_sinks set url = $1', [other.url]);
      await lab.looks(3);
      expect(other.received).toEqual([]);
      answer();
      await until(() => other.received.length === 1);
    } finally {
      await other.stop();
    }
  });

  it('is logged as taken again only if the same address failed before', async () => {
    const other = await startWebhook();
    try {
      stand.behave(answersWith(503));
      await addIt();
      lab.startNotifier({ clock: () => now, repeatMs: 10 });
      const id = await lab.begin();
      await until(() => lab.logText().includes('a sink cannot be notified'));
      await lab.sql('delete from alert_events where event_id = $1', [id]);
      await lab.looks(3);
      expect(lab.logText()).not.toContain('a sink takes notifications again');
      await lab.sql('update alert_sinks set url = $1', [other.url]);
      await lab.begin();
      await until(() => lab.isAllTold());
      other.behave(answersWith(503));
      await until(() => (lab.logText().match(/a sink cannot be notified/g) ?? []).length === 2);
      expect(lab.logText()).not.toContain('a sink takes notifications again');
      other.behave(takes);
      await until(() => lab.logText().includes('a sink takes notifications again'));
    } finally {
      await other.stop();
    }
  });
});
