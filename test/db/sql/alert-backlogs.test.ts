import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertDeliveries } from '../../../db/sql/alert-decisions.ts';
import {
  selectDueDeliveries,
  selectNotifiedSinks,
  updateDelivered,
  updateFailed,
} from '../../../db/sql/alert-deliveries.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let alerts: AlertLab;

beforeAll(async () => {
  alerts = await openAlertLab();
});

afterAll(() => alerts.close());

describe('a backlog', () => {
  /** Rows of deliveries that this transaction has read so far. */
  async function rowsRead(): Promise<number> {
    const [row] = await alerts.rowsOf<{ rows: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
       where relname = 'alert_deliveries'`,
    );
    return row?.rows ?? 0;
  }

  /** Adds events that began an hour ago, and ended a minute ago, to what waits for a sink. */
  async function addBacklog(sinkId: number, count: number): Promise<string[]> {
    const alertId = await alerts.addRule('big');
    const rows = await alerts.rowsOf<{ id: string }>(
      `with event as (
         insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at,
           value, peak_value)
         select gen_random_uuid(), alert_id, context_id, n::text, 0, 300, 1, 1
         from alerts, generate_series(1, $2) n where alert_id = $1 returning event_id
       ), delivery as (
         insert into alert_deliveries (event_id, sink_id, change, due_at)
         select event_id, $3, change, now() - age from event, (values
           ('began', interval '1 h'), ('ended', interval '1 min')) each (change, age)
       )
       select event_id as id from event`,
      [alertId, count, sinkId],
    );
    return rows.map(({ id }) => id);
  }

  const read = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await rowsRead();
    await work();
    return (await rowsRead()) - before;
  };

  it.each(['not tried yet', 'that has failed'])(
    '%s is not read to find what is due',
    async (of) => {
      await alerts.undone(async () => {
        const dead = await alerts.addSink('dead');
        const sinkId = await alerts.addSink('healthy');
        const events = await addBacklog(dead, 2_000);
        await alerts.rowsOf('analyze alert_deliveries');
        if (of === 'that has failed') {
          const changes = events.map((id) => ({ eventId: id, change: 'began' as const }));
          const retries = { firstMs: 1000, longestMs: 1000, giveUpMs: 86_400_000 };
          await updateFailed(alerts.connection, { sinkId: dead, changes, reason: 'down' }, retries);
        }
        await alerts.rowsOf(
          `insert into alert_deliveries (event_id, sink_id, change)
         select id, $1, 'began' from unnest($2::uuid[]) id`,
          [sinkId, events.slice(0, 3)],
        );
        await alerts.rowsOf('analyze alert_deliveries');
        const wanted = [
          { sinkId: dead, most: 8 },
          { sinkId, most: 4 },
        ];
        let found: unknown[] = [];
        const rows = await read(async () => {
          found = await selectDueDeliveries(alerts.connection, wanted);
        });
        expect(found).toHaveLength(of === 'that has failed' ? 3 : 11);
        // Some versions of a row that was updated are met once more.
        expect(rows).toBeLessThan(100);
      });
    },
  );

  it('is not read to find the sinks', async () => {
    await alerts.undone(async () => {
      await addBacklog(await alerts.addSink('dead'), 100);
      expect(await read(() => selectNotifiedSinks(alerts.connection))).toBe(0);
    });
  });
});

describe('the end of an event', () => {
  /** Seconds until the end is due, after `change` of an event whose beginning waits so long. */
  const endDueIn = async (
    beganDueIn: number,
    change: (sinkId: number, event: string) => Promise<unknown>,
  ) => {
    let pause: number | undefined;
    await alerts.undone(async () => {
      const sinkId = await alerts.addSink('pager');
      const alertId = await alerts.addRule('big');
      const event = await alerts.addEvent({ id: eventId(1), alertId, startedAt: 300 });
      await alerts.rowsOf(
        `insert into alert_deliveries (event_id, sink_id, change, due_at)
         values ($1, $2, 'began', now() + interval '1 s' * $3)`,
        [event, sinkId, beganDueIn],
      );
      await insertDeliveries(alerts.connection, alerts.lab.contextId, {
        began: [],
        ended: [event],
      });
      await change(sinkId, event);
      const [row] = await alerts.rowsOf<{ pause: number }>(
        `select extract(epoch from due_at - now())::float8 as pause
         from alert_deliveries where change = 'ended'`,
      );
      pause = row?.pause;
    });
    return pause;
  };
  const began = (event: string) => [{ eventId: event, change: 'began' as const }];
  const failed = (giveUpMs: number) => (sinkId: number, event: string) =>
    updateFailed(
      alerts.connection,
      { sinkId, changes: began(event), reason: 'down' },
      { firstMs: 1000, longestMs: 60_000, giveUpMs },
    );

  it('is due no earlier than its beginning', async () => {
    expect(await endDueIn(-60, async () => undefined)).toBe(0);
    expect(await endDueIn(60, async () => undefined)).toBe(60);
  });

  it('is postponed with its beginning, unless that is given up', async () => {
    expect(await endDueIn(0, failed(86_400_000))).toBe(1);
    expect(await endDueIn(0, failed(0))).toBe(0);
  });

  it('is due as soon as its beginning is delivered', async () => {
    const delivered = (sinkId: number, event: string) =>
      updateDelivered(alerts.connection, { sinkId, changes: began(event) });
    expect(await endDueIn(60, delivered)).toBe(0);
  });
});
