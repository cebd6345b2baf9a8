import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AlertTally } from '../../server/alerts/alert-metrics.ts';
import { evaluateAlerts } from '../../server/alerts/evaluate-alerts.ts';
import { keepNotifying } from '../../server/alerts/notify/keep-notifying.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { takes } from '../alerts/webhook-stand-in.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { openProxy } from '../support/database/proxy.ts';
import { collectingStream } from '../support/http/collecting-stream.ts';
import { type AlertFaultLab, openAlertFaultLab, until } from './alert-fault-lab.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let lab: AlertFaultLab;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  lab = await openAlertFaultLab(database.url);
});

afterEach(async () => {
  for (const work of running.splice(0)) await work.stop();
});

afterAll(async () => {
  await lab?.close();
  await database?.drop();
});

/** A proxy that can freeze the connections with a name. New ones of that name work. */
async function openFreezer(databaseUrl: string) {
  const open: { readonly client: Socket; readonly upstream: Socket; name: string }[] = [];
  const proxy = await openProxy(databaseUrl, (client, upstream) => {
    const pair = { client, upstream, name: '' };
    open.push(pair);
    // The first packet with it tells the name.
    client.on('data', (chunk: Buffer) => {
      pair.name ||= /application_name\0([^\0]*)\0/.exec(chunk.toString('latin1'))?.[1] ?? '';
    });
    client.pipe(upstream);
    upstream.pipe(client);
  });
  return {
    url: proxy.url,
    close: proxy.close,
    freeze(name: string): void {
      for (const pair of open.filter((each) => each.name === name)) {
        pair.client.unpipe().pause();
        pair.upstream.unpipe().pause();
      }
    },
  };
}

describe('a connection that falls silent', { timeout: 60_000 }, () => {
  it('stops neither the evaluation of alerts nor their notification', async () => {
    lab.webhook.behave(takes);
    await lab.begin();
    const freezer = await openFreezer(database.url);
    const logged: string[] = [];
    const tally = new AlertTally();
    const common = {
      databaseUrl: freezer.url,
      log: createLog('debug', collectingStream(logged)),
      delays: { firstMs: 0, everyMs: 10 },
      statementMs: 1_000,
    };
    const says = (text: string) => until(() => logged.join('').includes(text));
    try {
      running.push(evaluateAlerts({ ...common, tally }), keepNotifying(common));
      await lab.feed(2, { a: 11 });
      await lab.feed(3, { a: 11 });
      await until(() => lab.isAllTold(1));
      freezer.freeze('countergraph alerts');
      freezer.freeze('countergraph notifier');
      await says('alerts cannot be decided');
      await says('sinks cannot be notified of alerts');
      expect(tally.failures).toBeGreaterThan(0);
      await lab.feed(4, { a: 1 });
      await lab.feed(5, { a: 1 });
      await until(() => lab.isAllTold(2));
      await says('alerts are decided again');
      await says('sinks are notified of alerts again');
    } finally {
      for (const work of running.splice(0)) await work.stop();
      await freezer.close();
    }
  });
});
