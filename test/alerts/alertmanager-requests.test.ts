import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NotifierLab, openNotifierLab, STARTED, until } from './notifier-lab.ts';
import { answersWith, startWebhook, takes, type WebhookStandIn } from './webhook-stand-in.ts';

let lab: NotifierLab;
let stand: WebhookStandIn;

beforeAll(async () => {
  lab = await openNotifierLab();
});
afterAll(() => lab.close());

beforeEach(async () => {
  stand = await startWebhook();
  await lab.addSink({ kind: 'alertmanager', url: stand.url });
});
afterEach(async () => {
  await lab.clear();
  await stand.stop();
});

/** What a proxy such as nginx accepts by default. */
const PROXY_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;

type Posted = {
  readonly labels: { readonly key: string };
  readonly endsAt: string;
};

/** Returns the keys of each request, those of ended events marked with `-`. */
const requests = (): string[][] =>
  stand.received.map(({ text }) =>
    (JSON.parse(text) as Posted[]).map(({ labels, endsAt }) =>
      Date.parse(endsAt) < Date.now() ? `-${labels.key}` : labels.key,
    ),
  );

/** Makes alerts so long that a request has room for some twenty. */
const lengthenAlerts = () => lab.sql('update alerts set description = $1', ['x'.repeat(10_000)]);

const finishAll = async () => {
  const events = await lab.sql<{ id: string }>('select event_id as id from alert_events');
  for (const { id } of events) await lab.finish(id);
};

describe('requests to an Alertmanager', () => {
  it('fit through a proxy, however many alerts fire', async () => {
    stand.behave((response, request) => {
      const isTooLong = Buffer.byteLength(request.text) > PROXY_BYTES;
      answersWith(isTooLong ? 413 : 200)(response, request);
    });
    await lab.beginMany(5_000);
    const { tally } = lab.startNotifier();
    await until(() => tally.attempts('alertmanager', 'delivered') >= 5_000);
    expect(await lab.isAllTold()).toBe(true);
    expect(requests().flat().length).toBe(5_000);
    expect(new Set(requests().flat()).size).toBe(5_000);
    expect(tally.attempts('alertmanager', 'delivered')).toBe(5_000);
    expect(tally.attempts('alertmanager', 'failed')).toBe(0);
  });

  it('have long alerts in smaller numbers', async () => {
    await lengthenAlerts();
    await lab.beginMany(100);
    lab.startNotifier();
    await until(() => lab.isAllTold());
    expect(new Set(requests().flat()).size).toBe(100);
    const longest = Math.max(...stand.received.map(({ text }) => Buffer.byteLength(text)));
    expect(longest).toBeLessThan(PROXY_BYTES / 2);
  });

  it('have the ends of a key in one request with its event that fires again', async () => {
    await lengthenAlerts();
    const first = await lab.begin({ key: '00000064', startedAt: STARTED - 600 });
    const { stop } = lab.startNotifier();
    await until(() => lab.isAllTold());
    await stop();
    await lab.finish(first, STARTED - 300);
    await lab.beginMany(100);
    const before = requests().length;
    lab.startNotifier();
    await until(() => lab.isAllTold());
    const sent = requests().slice(before);
    expect(sent.length).toBeGreaterThan(3);
    expect(sent.filter((keys) => keys.some((key) => key.endsWith('00000064')))).toHaveLength(1);
    expect(sent.flat().filter((key) => key.endsWith('00000064'))).toEqual([
      '-00000064',
      '00000064',
    ]);
  });

  it('that were accepted are not repeated when a later one fails', async () => {
    await lengthenAlerts();
    await lab.beginMany(60);
    const { stop } = lab.startNotifier();
    await until(() => lab.isAllTold());
    await stop();
    await finishAll();
    stand.received.length = 0;
    stand.behave((response, request) =>
      (stand.received.length === 2 ? answersWith(503) : takes)(response, request),
    );
    const { tally } = lab.startNotifier();
    await until(() => lab.isAllTold());
    const [accepted = [], refused = [], ...later] = requests();
    expect(new Set([...accepted, ...later.flat()]).size).toBe(60);
    expect(accepted.length + later.flat().length).toBe(60);
    expect(later.flat()).toEqual(expect.arrayContaining(refused));
    expect(tally.attempts('alertmanager', 'failed')).toBe(refused.length);
    expect(lab.logText().match(/a sink cannot be notified/g)).toHaveLength(1);
    expect(lab.logText().match(/a sink takes notifications again/g)).toHaveLength(1);
  });

  it('begin with what is due, so that a limit of their number delays nothing for ever', async () => {
    await lengthenAlerts();
    await lab.beginMany(130);
    let taken = 0;
    stand.behave((response, request) => {
      taken += 1;
      // Two of an attempt are accepted, and the third ends it.
      (taken % 3 === 0 ? answersWith(429) : takes)(response, request);
    });
    lab.startNotifier();
    await until(() => lab.isAllTold());
    expect(new Set(requests().flat()).size).toBe(130);
  });

  it('go on after one that is refused for what it contains', async () => {
    await lengthenAlerts();
    await lab.beginMany(130);
    const isRefused = (keys: readonly string[]) => keys.some((key) => key.endsWith('0000001e'));
    stand.behave((response, request) =>
      (isRefused(requests().at(-1) ?? []) ? answersWith(403) : takes)(response, request),
    );
    const retries = { firstMs: HOUR_MS, longestMs: HOUR_MS, giveUpMs: 24 * HOUR_MS };
    const { tally } = lab.startNotifier({ retries, repeatMs: HOUR_MS });
    await until(() => tally.attempts('alertmanager', 'delivered') >= 100);
    const refused = requests().filter(isRefused);
    expect(refused).toHaveLength(1);
    await until(
      () => tally.attempts('alertmanager', 'delivered') === 130 - (refused[0]?.length ?? 0),
    );
  });

  it('end when the sink is no longer declared', async () => {
    await lengthenAlerts();
    await lab.beginMany(130);
    const held: (() => void)[] = [];
    stand.behave((response, request) => held.push(() => takes(response, request)));
    lab.startNotifier();
    await until(() => held.length === 1);
    await lab.sql('delete from alert_sinks');
    await lab.looks(2);
    held[0]?.();
    await lab.looks(2);
    expect(stand.received).toHaveLength(1);
  });

  it('pause after a failure, even if alerts begin', async () => {
    stand.behave(answersWith(413));
    const retries = { firstMs: HOUR_MS, longestMs: HOUR_MS, giveUpMs: 24 * HOUR_MS };
    await lab.begin({ key: '00000001' });
    lab.startNotifier({ retries, repeatMs: HOUR_MS });
    await until(() => lab.logText().includes('a sink cannot be notified'));
    await lab.begin({ key: '00000002' });
    await lab.looks(3);
    expect(stand.received).toHaveLength(1);
  });
});
