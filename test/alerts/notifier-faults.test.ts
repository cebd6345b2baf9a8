import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type NotifierLab, openNotifierLab, until } from './notifier-lab.ts';
import { hangs, startWebhook, takes, type WebhookStandIn } from './webhook-stand-in.ts';

let lab: NotifierLab;
let webhook: WebhookStandIn;

beforeAll(async () => {
  lab = await openNotifierLab();
});
afterAll(() => lab.close());

beforeEach(async () => {
  webhook = await startWebhook();
  await lab.addSink({ url: webhook.url });
});
afterEach(async () => {
  await lab.clear();
  await webhook.stop();
});

/** Ends the connection that holds the lock, as a crash of the server or the database would. */
const endConnection = () =>
  until(async () => {
    const ended = await lab.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'countergraph notifier'`);
    return ended.length > 0;
  });

/** The notifications that the sink received, without those that it recognises as repeated. */
const toldOnce = (): string[] => [
  ...new Set(webhook.received.map(({ headers }) => String(headers['idempotency-key']))),
];

describe('a webhook is notified of both changes, in order, if the connection is lost', () => {
  it.each(['began', 'ended'])('before it responds to "%s"', async (change) => {
    webhook.behave((response, request) =>
      (request.body.event === change ? hangs : takes)(response, request),
    );
    lab.startNotifier();
    const id = await lab.begin();
    await lab.finish(id);
    await until(() => toldOnce().includes(`${id}:${change}`));
    webhook.behave(takes);
    await endConnection();
    await until(() => lab.isAllTold());
    expect(toldOnce()).toEqual([`${id}:began`, `${id}:ended`]);
  });

  it.each(['began', 'ended'])('before the delivery of "%s" is stored', async (change) => {
    let isLost = false;
    webhook.behave((response, request) => {
      if (request.body.event !== change || isLost) return takes(response, request);
      isLost = true;
      void endConnection().then(() => takes(response, request));
    });
    lab.startNotifier();
    const id = await lab.begin();
    await lab.finish(id);
    await until(() => lab.isAllTold());
    expect(isLost).toBe(true);
    expect(toldOnce()).toEqual([`${id}:began`, `${id}:ended`]);
  });

  it('before anything is sent', async () => {
    const id = await lab.begin();
    await lab.finish(id);
    const { tally } = lab.startNotifier();
    await endConnection();
    await until(() => lab.isAllTold());
    expect(toldOnce()).toEqual([`${id}:began`, `${id}:ended`]);
    expect(tally.attempts('webhook', 'given up')).toBe(0);
  });
});

describe('of two servers', () => {
  it('one notifies a sink, and the other takes over when the first stops', async () => {
    const servers = [lab.startNotifier(), lab.startNotifier()];
    const first = await lab.begin({ key: 'C0.A8.01.01' });
    const teller = () => servers.find(({ tally }) => tally.attempts('webhook', 'delivered') === 1);
    await until(() => teller() !== undefined);
    await teller()?.stop();
    await lab.finish(first);
    const second = await lab.begin({ key: 'C0.A8.01.02' });
    await until(() => lab.isAllTold());
    expect(webhook.told().toSorted()).toEqual(
      [`began ${first}`, `ended ${first}`, `began ${second}`].toSorted(),
    );
  });
});
