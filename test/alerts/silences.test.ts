import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepNotifying } from '../../server/alerts/notify/keep-notifying.ts';
import type { BackgroundWork } from '../../server/background/background-work.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { collectingStream } from '../support/http/collecting-stream.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { type AlertLab, reading } from './alert-lab.ts';
import { ask, OTHER, OWN, ruleOf, save, silence, startRuleLab } from './editing-lab.ts';
import { until } from './notifier-lab.ts';
import { startWebhook, type WebhookStandIn } from './webhook-stand-in.ts';

let lab: AlertLab;
let webhook: WebhookStandIn;
let notifier: BackgroundWork;

beforeEach(async () => {
  lab = await startRuleLab();
  webhook = await startWebhook();
  await lab.apply({
    context: CONTEXT,
    notify: [{ name: 'noc', kind: 'webhook', url: webhook.url }],
  });
  await save(lab, ruleOf());
  notifier = keepNotifying({
    databaseUrl: lab.databaseUrl,
    log: createLog('silent', collectingStream([])),
    delays: { firstMs: 0, everyMs: 10 },
  });
});

afterEach(async () => {
  await notifier.stop();
  await webhook.stop();
  await lab.close();
});

const soon = () => Math.floor(Date.now() / 1000) + 3600;

/** In the n-th window, both hosts have these values; the next reading closes it. */
async function decide(n: number, own: number, other: number): Promise<void> {
  const at = n * 300 - 60;
  await lab.importSamples([
    reading(OWN, at, own),
    reading(OTHER, at, other),
    reading('0A.09.00.01', at + 300, 1),
  ]);
  await lab.decideAlertsNow();
}

/** Waits until the notifier has nothing more to send. */
const isTold = () =>
  until(async () => {
    const rows = await lab.sql('select from alert_deliveries where delivered_at is null');
    return rows.length === 0;
  });

const told = () =>
  webhook.received.map(({ body }) => `${body.event} ${body['key'] === OWN ? 'own' : 'other'}`);

/** Waits for several looks of the notifier, each of which would send what is due. */
async function looks(): Promise<void> {
  for (let look = 0; look < 5; look += 1) await notifier.runOnce();
}

describe('a silence', () => {
  it('keeps sinks from all of an event that begins and ends in it', async () => {
    expect(await silence(lab, soon(), 'we know')).toMatchObject({
      silencedBy: 'ada',
      silenceReason: 'we know',
    });
    await decide(2, 50, 1);
    expect(await lab.events('big')).toHaveLength(1);
    await decide(3, 1, 1);
    await silence(lab, null);
    await looks();
    expect((await lab.events('big')).every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(told()).toEqual([]);
  });

  it('that is lifted has sinks told of what still fires, and later of its end', async () => {
    await silence(lab, soon());
    await decide(2, 50, 60);
    await looks();
    expect(told()).toEqual([]);
    await decide(3, 50, 1);
    await silence(lab, null);
    await until(() => webhook.received.length === 1);
    await decide(4, 1, 1);
    await until(() => webhook.received.length === 2);
    await isTold();
    expect(told()).toEqual(['began own', 'ended own']);
  });

  it('that is over by the clock has them told, too', async () => {
    await silence(lab, soon());
    await decide(2, 50, 1);
    await lab.sql(`update alerts set silenced_until = now() + interval '100 ms'`);
    await until(() => webhook.received.length === 1);
    expect(told()).toEqual(['began own']);
  });

  it('does not keep back the end of an event that they were told of', async () => {
    await decide(2, 50, 1);
    await until(() => webhook.received.length === 1);
    await silence(lab, soon());
    await decide(3, 1, 60);
    await until(() => webhook.received.length === 2);
    await looks();
    expect(told()).toEqual(['began own', 'ended own']);
  });

  it('is kept when the rule is changed, and its deliveries are shown with the sink', async () => {
    await silence(lab, soon());
    await save(lab, ruleOf({ threshold: 20, replaces: 'big' }));
    await decide(2, 50, 1);
    await looks();
    expect(told()).toEqual([]);
    const sinks = `{ it: context(name: "${CONTEXT}") { alertSinks {
      name kind target gets signed lastDelivered lastError } } }`;
    const shown = (more: object) => ({
      alertSinks: [
        {
          name: 'noc',
          kind: 'WEBHOOK',
          target: new URL(webhook.url).origin,
          gets: 'each event when it begins and when it ends',
          signed: false,
          lastError: null,
          ...more,
        },
      ],
    });
    expect(await ask(lab, sinks)).toEqual(shown({ lastDelivered: null }));
    webhook.behave((response) => response.writeHead(500).end());
    await silence(lab, null);
    await until(async () => JSON.stringify(await ask(lab, sinks)).includes('the status 500'));
    webhook.behave((response) => response.writeHead(204).end());
    await isTold();
    expect(await ask(lab, sinks)).toEqual(shown({ lastDelivered: expect.any(Number) }));
  });

  it('must end after now and within a year, and is of a rule that is there', async () => {
    expect(await silence(lab, 1_000_000)).toMatch(
      /^BAD_USER_INPUT: until must be a time after now/,
    );
    expect(await silence(lab, soon() + 367 * 86_400)).toMatch(/within 366 days/);
    expect(await silence(lab, null, 'why')).toMatch(/^BAD_USER_INPUT: reason must be left out/);
    await ask(lab, `mutation { it: removeAlert(context: "${CONTEXT}", name: "big") }`);
    expect(await silence(lab, soon())).toBe('NOT_FOUND: Invalid alert name - big');
  });
});
