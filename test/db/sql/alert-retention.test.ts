import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  countExpiredEvents,
  deleteExpiredEvents,
  deleteUnusedRevisions,
  EXPIRED_EVENTS,
  selectEventRetentions,
} from '../../../db/sql/alert-retention.ts';
import { upsertCoverage } from '../../../db/sql/coverage.ts';
import { insertSlice } from '../../../db/sql/slices.ts';
import { DAY } from '../../support/lab/lab.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let alerts: AlertLab;

beforeAll(async () => {
  alerts = await openAlertLab();
});

afterAll(() => alerts.close());

const BEFORE = 10 * DAY;

const storedEvents = async (): Promise<string[]> =>
  (await alerts.rowsOf<{ id: string }>('select event_id as id from alert_events order by 1')).map(
    ({ id }) => id,
  );

const deliver = (event: string, sinkId: number, state: 'delivered_at' | 'given_up_at' | null) =>
  alerts.rowsOf(
    `insert into alert_deliveries (event_id, sink_id, change${state ? `, ${state}` : ''})
     values ($1, $2, 'began'${state ? ', now()' : ''})`,
    [event, sinkId],
  );

describe('expired events', () => {
  it('are those of the context that ended by then and wait for no delivery', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      const { groupId } = alerts.elsewhere;
      const elsewhere = await alerts.addRule('elsewhere', { groupId });
      const sinkId = await alerts.addSink('pager');
      const add = (n: number, endedAt: number | null, rule = alertId) =>
        alerts.addEvent({ id: eventId(n), alertId: rule, startedAt: BEFORE - 300, endedAt });
      const justExpired = await add(1, BEFORE);
      await add(2, BEFORE + 1);
      await add(3, null);
      await add(4, BEFORE, elsewhere);
      await deliver(await add(5, BEFORE), sinkId, null);
      const delivered = await add(6, BEFORE);
      await deliver(delivered, sinkId, 'delivered_at');
      const givenUp = await add(7, BEFORE);
      await deliver(givenUp, sinkId, 'given_up_at');
      const values = [alerts.lab.contextId, BEFORE];
      const found = await alerts.rowsOf<{ id: string }>(
        `select event_id as id from alert_events e where ${EXPIRED_EVENTS} order by 1`,
        values,
      );
      expect(found.map(({ id }) => id)).toEqual([justExpired, delivered, givenUp]);
      expect(await countExpiredEvents(alerts.connection, alerts.lab.contextId, BEFORE)).toBe(3);
      expect(await countExpiredEvents(alerts.connection, alerts.lab.contextId, DAY)).toBe(0);
    });
  });

  it('are deleted with their deliveries, the oldest first, up to the given number', async () => {
    await alerts.undone(async () => {
      const { contextId } = alerts.lab;
      const alertId = await alerts.addRule('big');
      const sinkId = await alerts.addSink('pager');
      for (const [n, startedAt] of [300, 0, 600].entries()) {
        const event = { id: eventId(n + 1), alertId, startedAt, endedAt: 900 };
        await deliver(await alerts.addEvent(event), sinkId, 'delivered_at');
      }
      const expired = { contextId, before: BEFORE, most: 2 };
      expect(await deleteExpiredEvents(alerts.connection, expired)).toBe(2);
      expect(await storedEvents()).toEqual([eventId(3)]);
      expect((await alerts.deliveries()).map(({ event }) => event)).toEqual([eventId(3)]);
      expect(await deleteExpiredEvents(alerts.connection, expired)).toBe(1);
      expect(await deleteExpiredEvents(alerts.connection, expired)).toBe(0);
    });
  });
});

describe('contexts with events to delete', () => {
  it('are those whose retention period is over for an event that ended', async () => {
    await alerts.undone(async () => {
      const { contextId } = alerts.lab;
      const alertId = await alerts.addRule('big');
      const { groupId } = alerts.elsewhere;
      const forever = await alerts.addRule('forever', { groupId });
      await alerts.rowsOf('update contexts set retention_days = 7 where context_id = $1', [
        contextId,
      ]);
      await alerts.addEvent({ id: eventId(1), alertId, startedAt: 0, endedAt: DAY });
      await alerts.addEvent({ id: eventId(2), alertId: forever, startedAt: 0, endedAt: DAY });
      const slice = { contextId, engine: 0, sliceId: 7, startsAt: 0, endsAt: DAY };
      await insertSlice(alerts.connection, slice);
      const cover = (bucket: number) =>
        upsertCoverage(alerts.connection, [
          {
            ...slice,
            ...alerts.lab,
            probeId: 0,
            firstBucket: bucket,
            lastBucket: bucket,
            presentBucket: bucket,
            aheadBuckets: [],
          },
        ]);
      expect(await selectEventRetentions(alerts.connection)).toEqual([]);
      await cover(8 * DAY - 60);
      expect(await selectEventRetentions(alerts.connection)).toEqual([]);
      await cover(8 * DAY);
      expect(await selectEventRetentions(alerts.connection)).toEqual([
        { contextId, name: 'lab', retentionDays: 7, keptSince: DAY },
      ]);
    });
  });
});

describe('revisions without events', () => {
  it('are deleted once they are superseded', async () => {
    await alerts.undone(async () => {
      const supersede = (alertId: number) =>
        alerts.rowsOf('update alerts set superseded_at = now() where alert_id = $1', [alertId]);
      await supersede(await alerts.addRule('unused'));
      await alerts.addRule('in force');
      const used = await alerts.addRule('used');
      await alerts.addEvent({ id: eventId(1), alertId: used, startedAt: 0, endedAt: 300 });
      await supersede(used);
      const { groupId } = alerts.elsewhere;
      await supersede(await alerts.addRule('elsewhere', { groupId }));
      await deleteUnusedRevisions(alerts.connection, alerts.lab.contextId);
      expect(await alerts.rowsOf('select name from alerts order by name')).toEqual([
        { name: 'elsewhere' },
        { name: 'in force' },
        { name: 'used' },
      ]);
    });
  });
});
