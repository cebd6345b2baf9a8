import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { type NotifierLab, openNotifierLab, STARTED, until } from './notifier-lab.ts';
import {
  answersWith,
  type Behaviour,
  closesBeforeItAnswers,
  closesWithinItsHead,
  hangs,
  startWebhook,
  takes,
  type WebhookStandIn,
} from './webhook-stand-in.ts';

let lab: NotifierLab;
let webhook: WebhookStandIn;

beforeAll(async () => {
  lab = await openNotifierLab();
});

afterAll(() => lab.close());

beforeEach(async () => {
  webhook = await startWebhook();
});

afterEach(async () => {
  await lab.clear();
  await webhook.stop();
});

describe('a webhook', () => {
  it('is notified of beginnings and ends, signed over the bytes that are sent', async () => {
    lab.variables['NOC_WEBHOOK'] = webhook.url;
    lab.variables['NOC_SECRET'] = 'a secret';
    await lab.addSink({ urlEnv: 'NOC_WEBHOOK', secretEnv: 'NOC_SECRET' });
    lab.startNotifier();
    const id = await lab.begin();
    await until(() => webhook.received.length === 1);
    await lab.finish(id);
    await until(() => webhook.received.length === 2);
    const [began, ended] = webhook.received;
    const common = {
      version: 1,
      id,
      context: 'lab',
      alert: 'big talker',
      severity: 'warning',
      group: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}',
      group_name: 'Hosts',
      meter: 0,
      key: 'C0.A8.01.0A',
      readable: '192.168.1.10',
      label: 'printer',
      started_at: STARTED,
      value: 1_234_567_890,
      condition: 'a key above 1000000000',
    };
    expect(began?.body).toEqual({ ...common, event: 'began', ended_at: null });
    expect(ended?.body).toEqual({ ...common, event: 'ended', ended_at: STARTED + 300 });
    for (const { headers, text, body, path } of webhook.received) {
      const signature = createHmac('sha256', 'a secret').update(text).digest('hex');
      expect(path).toBe('/hook');
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'idempotency-key': `${id}:${body.event}`,
        'x-countergraph-signature': `sha256=${signature}`,
      });
    }
    await until(() => lab.isAllTold());
  });

  it('without a secret gets no signature, and for a whole group no key', async () => {
    await lab.addSink({ url: webhook.url });
    lab.startNotifier();
    await lab.begin({ key: null, value: '36893488147419103232' });
    await until(() => webhook.received.length === 1);
    const [request] = webhook.received;
    expect(request?.headers).not.toHaveProperty('x-countergraph-signature');
    expect(request?.body).toMatchObject({ key: null, readable: null, label: null });
    // Decision 8: integers above 2^53 are written in full.
    expect(request?.text).toContain('"value":36893488147419103232,');
  });

  it('gets the credentials of its address in a header', async () => {
    await lab.addSink({ url: webhook.url.replace('//', '//ops:p%40ss@') });
    lab.startNotifier();
    await lab.begin();
    await until(() => webhook.received.length === 1);
    const credentials = Buffer.from('ops:p@ss').toString('base64');
    expect(webhook.received[0]?.headers.authorization).toBe(`Basic ${credentials}`);
  });

  const failures: readonly [string, Behaviour][] = [
    ['answers with an error', answersWith(500)],
    ['refuses the request', answersWith(400)],
    ['redirects the request', answersWith(307, { location: 'http://127.0.0.1:1/' })],
    ['closes the connection before it answers', closesBeforeItAnswers],
    ['closes the connection in the middle of its answer', closesWithinItsHead],
  ];

  it.each(failures)('that %s is retried, in order', async (_, behaviour) => {
    webhook.behave(behaviour);
    await lab.addSink({ url: webhook.url });
    const { tally } = lab.startNotifier();
    const id = await lab.begin();
    await lab.finish(id);
    await until(() => webhook.received.length >= 3);
    webhook.behave(takes);
    await until(() => lab.isAllTold());
    const told = webhook.told();
    expect(told.at(-1)).toBe(`ended ${id}`);
    expect(new Set(told.slice(0, -1))).toEqual(new Set([`began ${id}`]));
    await until(() => tally.attempts('webhook', 'delivered') === 2);
    expect(tally.attempts('webhook', 'failed')).toBeGreaterThanOrEqual(2);
  });

  it('that refuses connections is notified once it accepts them', async () => {
    await webhook.stop();
    await lab.addSink({ url: webhook.url });
    const { tally } = lab.startNotifier();
    const id = await lab.begin();
    await until(() => tally.attempts('webhook', 'failed') >= 2);
    expect(tally.waiting('webhook')).toBe(1);
    webhook = await startWebhook(webhook.port);
    await until(() => lab.isAllTold());
    expect(webhook.told()).toEqual([`began ${id}`]);
    await until(() => lab.logText().includes('a sink takes notifications again'));
    expect(lab.logText().match(/a sink cannot be notified/g)).toHaveLength(1);
  });

  it('that responds but never ends its response has taken the notification', async () => {
    webhook.behave((response) => response.writeHead(200).write('x'.repeat(100_000)));
    await lab.addSink({ url: webhook.url });
    lab.startNotifier();
    await lab.begin();
    await until(() => lab.isAllTold());
    expect(webhook.received).toHaveLength(1);
  });

  it('that does not respond in time is retried', async () => {
    webhook.behave(hangs);
    await lab.addSink({ url: webhook.url });
    const { tally } = lab.startNotifier({ answerMs: 30 });
    const id = await lab.begin();
    await until(() => tally.attempts('webhook', 'failed') >= 2);
    expect(lab.logText()).toContain('it does not answer within 0.03 s');
    webhook.behave(takes);
    await until(() => lab.isAllTold());
    expect(new Set(webhook.told())).toEqual(new Set([`began ${id}`]));
  });

  it('that hangs does not delay another', async () => {
    const other = await startWebhook();
    try {
      webhook.behave(hangs);
      await lab.addSink({ name: 'a', url: webhook.url });
      await lab.addSink({ name: 'b', url: other.url });
      lab.startNotifier();
      for (let i = 0; i < 10; i += 1) await lab.begin({ key: `C0.A8.01.0${i}` });
      await until(() => other.received.length === 10);
      expect(webhook.received.length).toBeLessThanOrEqual(LIMITS.webhookRequests);
    } finally {
      await other.stop();
    }
  });

  it('is notified of other events while it fails for one', async () => {
    await lab.addSink({ url: webhook.url });
    const bad = await lab.begin({ key: 'C0.A8.01.01' });
    webhook.behave((response, request) =>
      (request.body.id === bad ? answersWith(500) : takes)(response, request),
    );
    lab.startNotifier();
    const good = await lab.begin({ key: 'C0.A8.01.02' });
    await lab.finish(good);
    await until(() => webhook.told().includes(`ended ${good}`));
  });

  it('is not retried after a day, and is then notified of the end', async () => {
    await lab.addSink({ url: webhook.url });
    const id = await lab.begin();
    await lab.finish(id);
    await lab.sql(`update alert_deliveries set created_at = now() - interval '25 hours'
      where change = 'began'`);
    webhook.behave((response, request) =>
      (request.body.event === 'began' ? answersWith(500) : takes)(response, request),
    );
    const { tally } = lab.startNotifier();
    await until(() => lab.isAllTold());
    expect(webhook.told()).toEqual([`began ${id}`, `ended ${id}`]);
    expect(tally.attempts('webhook', 'given up')).toBe(1);
    expect(lab.logText()).toMatch(/"afterSeconds":86400,.*notifications were given up/);
  });

  it('is retried after a second, then after twice as long each time, up to 5 minutes', async () => {
    webhook.behave(answersWith(500));
    await lab.addSink({ url: webhook.url });
    await lab.begin();
    const pauses: number[] = [];
    for (const attempts of [0, 1, 2, 8, 9, 288]) {
      await lab.sql('update alert_deliveries set attempts = $1, due_at = now()', [attempts]);
      const retries = {
        firstMs: LIMITS.notificationFirstRetryMs,
        longestMs: LIMITS.notificationLongestRetryMs,
        giveUpMs: LIMITS.notificationGiveUpMs,
      };
      const { tally, stop } = lab.startNotifier({ retries });
      await until(() => tally.attempts('webhook', 'failed') === 1);
      await stop();
      const rows = await lab.sql<{ pause: string }>(
        'select ceil(extract(epoch from due_at - now())) as pause from alert_deliveries',
      );
      pauses.push(Number(rows[0]?.pause));
    }
    expect(pauses).toEqual([1, 2, 4, 256, 300, 300]);
  });

  it('whose variables are not set is retried, and the log names them', async () => {
    await lab.addSink({ urlEnv: 'NOC_WEBHOOK', secretEnv: 'NOC_SECRET' });
    lab.startNotifier();
    await lab.begin();
    await until(() => lab.logText().includes('the variable NOC_WEBHOOK must hold'));
    lab.variables['NOC_WEBHOOK'] = webhook.url;
    lab.variables['NOC_SECRET'] = 'a secret';
    await until(() => lab.isAllTold());
    expect(webhook.received).toHaveLength(1);
  });

  it('never has its address or secret in the log', async () => {
    webhook.behave(answersWith(500));
    lab.variables['BAD'] = 'ftp://hidden.example/';
    lab.variables['NOC_SECRET'] = 'hush';
    const where = [
      { url: 'http://127.0.0.1:1/hidden' },
      { url: 'http://hidden.invalid/' },
      { url: `${webhook.url}?hidden` },
      { url: 'http://user:hidden@127.0.0.1:1/' },
      { urlEnv: 'BAD' },
      // A port that browsers, and so `fetch`, refuse.
      { url: 'http://127.0.0.1:6000/hidden' },
    ];
    for (const [i, at] of where.entries()) {
      await lab.addSink({ name: `sink ${i}`, secretEnv: 'NOC_SECRET', ...at });
    }
    const { tally } = lab.startNotifier();
    await lab.begin();
    await until(() => lab.logText().split('a sink cannot be notified').length > where.length);
    expect(tally.attempts('webhook', 'failed')).toBeGreaterThanOrEqual(where.length);
    expect(lab.logText()).not.toMatch(/hidden|hush|127\.0\.0\.1/);
  });

  it('is logged with the reason if its port is blocked', async () => {
    await lab.addSink({ url: 'http://127.0.0.1:6000/' });
    lab.startNotifier();
    await lab.begin();
    await until(() => lab.logText().includes('a sink cannot be notified'));
    expect(lab.logText()).toContain('its port belongs to another protocol');
  });
});

describe('changes of sinks', () => {
  it('apply from the next attempt: another address, or a removed sink', async () => {
    const other = await startWebhook();
    try {
      webhook.behave(answersWith(500));
      const sinkId = await lab.addSink({ url: webhook.url });
      lab.startNotifier();
      const first = await lab.begin({ key: 'C0.A8.01.01' });
      await until(() => webhook.received.length > 0);
      await lab.sql('update alert_sinks set url = $1', [other.url]);
      await until(() => other.told().includes(`began ${first}`));
      await lab.sql('delete from alert_sinks where sink_id = $1', [sinkId]);
      await lab.finish(first);
      expect(await lab.isAllTold()).toBe(true);
    } finally {
      await other.stop();
    }
  });

  it('do not notify a new webhook of events that began before it', async () => {
    const before = await lab.begin({ key: 'C0.A8.01.01' });
    await lab.addSink({ url: webhook.url });
    lab.startNotifier();
    await lab.finish(before);
    const after = await lab.begin({ key: 'C0.A8.01.02' });
    await until(() => webhook.received.length === 1);
    expect(webhook.told()).toEqual([`began ${after}`]);
  });
});
