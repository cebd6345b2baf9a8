import { describe, expect, it } from 'vitest';
import { AlertTally } from '../../server/alerts/alert-metrics.ts';
import { evaluateAlerts } from '../../server/alerts/evaluate-alerts.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { openStream } from '../support/http/event-stream.ts';
import { startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, startTestService } from '../support/lab/service.ts';
import { startPgBouncer } from '../support/programs/pgbouncer.ts';
import { openAlertFaultLab } from './alert-fault-lab.ts';
import { GROUP, LINES } from './fault-lab.ts';

const TOTAL = `subscription { topper(context: "${CONTEXT}", counterGroup: "${GROUP.guid}",
  window: { preset: ALL_AVAILABLE }, maxItems: 1) { total } }`;

type Topper = { readonly topper: { readonly total: number } };

describe('behind a pooler in transaction mode', () => {
  it('an open stream receives answers, though without notifications', async () => {
    const lab = await startLab({ groups: [GROUP], lines: LINES });
    const pooler = await startPgBouncer(lab.databaseUrl, { mode: 'transaction' });
    const service = await startTestService({ databaseUrl: pooler.url });
    const stream = await openStream(service.url, TOTAL);
    try {
      const total = async () => (await stream.answer<Topper>()).topper.total;
      const before = await total();
      await lab.importSamples([{ group: GROUP.guid, key: 'one', ts: T0, values: { 0: 1 } }]);
      expect(await total()).toBe(before + 1);
    } finally {
      stream.close();
      await service.close();
      await pooler.stop();
      await lab.close();
    }
  });

  it('without locks, two concurrent servers evaluate each window once', {
    timeout: 60_000,
  }, async () => {
    const database = await createTestDatabase();
    const pooler = await startPgBouncer(database.url, { mode: 'transaction' });
    const lab = await openAlertFaultLab(database.url);
    const servers = [1, 2].map(() => {
      const tally = new AlertTally();
      const log = createLog('silent', process.stderr);
      const work = evaluateAlerts({ databaseUrl: pooler.url, log, delays: null, tally });
      return { tally, work };
    });
    try {
      await lab.begin();
      const last = 11;
      for (let window = 2; window <= last; window += 1) {
        await lab.feed(window, window % 2 === 0 ? { a: 11, b: 20 } : { b: 20 });
        await Promise.all(servers.map(({ work }) => work.runOnce()));
      }
      const evens = [2, 4, 6, 8, 10].map((began) => {
        return { key: 'a', began, ended: began === 10 ? null : began + 1, peak: 11 };
      });
      const [first, ...others] = evens;
      const b = { key: 'b', began: 2, ended: null, peak: 20 };
      expect(await lab.events()).toEqual([first, b, ...others]);
      const sum = (count: (tally: AlertTally) => number) =>
        servers.reduce((all, { tally }) => all + count(tally), 0);
      expect(sum(({ isEvaluating }) => Number(isEvaluating))).toBe(2);
      expect(sum(({ windows }) => windows)).toBe(last - 2);
      expect(sum(({ began }) => began)).toBe(6);
      expect(sum(({ ended }) => ended)).toBe(4);
      const deliveries = await lab.sql('select from alert_deliveries');
      expect(deliveries).toHaveLength(10);
    } finally {
      await lab.close();
      for (const { work } of servers) await work.stop();
      await pooler.stop();
      await database.drop();
    }
  });
});
