import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AlertTally } from '../../server/alerts/alert-metrics.ts';
import { evaluateAlerts } from '../../server/alerts/evaluate-alerts.ts';
import { keepNotifying } from '../../server/alerts/notify/keep-notifying.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { hangs, takes } from '../alerts/webhook-stand-in.ts';
import { type BreakableServer, startBreakable } from '../support/database/breakable-server.ts';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { collectingStream } from '../support/http/collecting-stream.ts';
import { killServer } from '../support/programs/server-processes.ts';
import { type AlertFaultLab, openAlertFaultLab, until } from './alert-fault-lab.ts';

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const work of running) await work.stop();
  running.length = 0;
});

/** Starts the part of a server that evaluates and notifies, with short intervals and retries. */
function startAlerts(databaseUrl: string) {
  const logged: string[] = [];
  const log = createLog('debug', collectingStream(logged));
  const delays = { firstMs: 0, everyMs: 10 };
  const tally = new AlertTally();
  running.push(evaluateAlerts({ databaseUrl, log, delays, tally }));
  running.push(
    keepNotifying({
      databaseUrl,
      log,
      delays,
      retries: { firstMs: 10, longestMs: 20, giveUpMs: 86_400_000 },
    }),
  );
  return { tally, logText: () => logged.join('') };
}

/** The event began once and ended once, and the webhook was notified of both, in order. */
async function expectOneEvent(lab: AlertFaultLab): Promise<void> {
  await until(() => lab.isAllTold(2));
  expect(await lab.events()).toEqual([{ key: 'a', began: 2, ended: 3, peak: 11 }]);
  const [id = ''] = await lab.eventIds();
  expect(lab.toldOnce()).toEqual([`${id}:began`, `${id}:ended`]);
  expect(lab.contradictions()).toEqual([]);
}

describe('a PostgreSQL that goes away', { timeout: 60_000 }, () => {
  let server: BreakableServer;
  let lab: AlertFaultLab;

  beforeAll(async () => {
    server = await startBreakable();
    await makeReady(server.url);
    lab = await openAlertFaultLab(server.url);
  }, 120_000);

  afterAll(async () => {
    await lab?.close();
    await server?.remove();
  });

  beforeEach(() => {
    lab.webhook.behave(takes);
    return lab.begin();
  });

  const ways = [
    ['stopped', () => server.stop()],
    ['killed', () => server.kill()],
    ['its postmaster killed', () => server.killPostmaster()],
  ] as const;

  it.each(ways)(
    '(%s) while an event is written and while a sink is notified loses nothing',
    async (_, goAway) => {
      const { logText } = startAlerts(server.url);
      await lab.feed(2, { a: 11 });
      await lab.hold('alert_events');
      await lab.feed(3, { a: 1 });
      await lab.waitUntilHeld('alerts');
      await goAway();
      await until(() => logText().includes('alerts cannot be decided'));
      await until(() => logText().includes('sinks cannot be notified of alerts'));
      await server.start();
      lab.webhook.behave((response, request) =>
        (request.body.event === 'ended' ? hangs : takes)(response, request),
      );
      await lab.feed(4, { a: 1 });
      await until(() => lab.toldOnce().length === 2);
      await goAway();
      lab.webhook.behave(takes);
      await server.start();
      await expectOneEvent(lab);
      await until(() => logText().includes('sinks are notified of alerts again'));
      expect(logText()).toContain('alerts are decided again');
    },
  );
});

describe('a standby that is promoted', { timeout: 120_000 }, () => {
  let primary: Primary;
  let standby: Standby;
  let lab: AlertFaultLab;

  beforeEach(async () => {
    primary = await startPrimary();
    await makeReady(primary.url);
    lab = await openAlertFaultLab(primary.url);
    await lab.begin();
    standby = await startStandby(primary);
  }, 120_000);

  afterEach(async () => {
    await lab?.close();
    await standby?.remove();
    await primary?.remove();
  });

  /** Kills the primary and promotes the standby. */
  async function failOver(): Promise<void> {
    killServer(primary);
    await withClient(standby.url, (client) => client.query('select pg_promote()'));
    lab.moveTo(standby.url);
  }

  it('continues where the primary was', async () => {
    const before = startAlerts(primary.url);
    const after = startAlerts(standby.url);
    await lab.feed(2, { a: 11 });
    await lab.feed(3, { a: 1 });
    await until(() => lab.isAllTold(1));
    await standby.waitUntilCaughtUp();
    expect(after.tally.isEvaluating).toBe(false);
    await failOver();
    await lab.feed(4, { a: 1 });
    await expectOneEvent(lab);
    expect([before.tally.began, before.tally.ended]).toEqual([1, 0]);
    expect([after.tally.began, after.tally.ended]).toEqual([0, 1]);
    // The delivery to the webhook was replicated to the standby.
    expect(lab.webhook.told()).toHaveLength(2);
  });

  it('without the last commits evaluates again what was lost, with the same ids', async () => {
    startAlerts(primary.url);
    startAlerts(standby.url);
    await lab.feed(2, { a: 11 });
    await standby.waitUntilCaughtUp();
    await withClient(standby.url, async (client) => {
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
      const receivers = () => client.query('select from pg_stat_wal_receiver');
      await until(async () => (await receivers()).rowCount === 0);
    });
    await lab.feed(3, { a: 1 });
    await until(() => lab.isAllTold(1));
    const [id = ''] = await lab.eventIds();
    await failOver();
    expect(await lab.events()).toEqual([]);
    // A feeder has kept the data that may be lost, and sends them again.
    await lab.feed(3, { a: 1 });
    await lab.feed(4, { a: 1 });
    await expectOneEvent(lab);
    expect(await lab.eventIds()).toEqual([id]);
    expect(lab.webhook.told()).toEqual([`began ${id}`, `began ${id}`, `ended ${id}`]);
  });
});
