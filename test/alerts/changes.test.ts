import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { insertChanges, lockChanges } from '../../db/sql/alert-decisions.ts';
import { fireAlerts } from '../support/lab/fire-alerts.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { type AlertLab, startAlertLab } from './alert-lab.ts';

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab();
  await lab.declare({ big: { when: { key_above: 10 } } });
});
afterAll(() => lab.close());

beforeEach(async () => {
  await lab.sql('delete from alert_events');
  await fireAlerts(lab, { context: CONTEXT, startedAt: T0, key: 'k', value: 11 });
});

async function facts() {
  const [event] = await lab.sql<{ eventId: string; contextId: number }>(
    `select event_id as "eventId", context_id as "contextId" from alert_events
     where ended_at is null`,
  );
  if (!event) throw new Error('nothing is firing');
  return event;
}

const changes = () =>
  lab.sql<{ number: number; nonce: string; change: string }>(
    'select number::int as number, nonce::text, change from alert_changes order by number',
  );

describe('the numbers of changes', () => {
  it('rise without a gap, with a new nonce in each transaction', async () => {
    const { eventId, contextId } = await facts();
    const before = await lab.sql<{ last: number }>(
      'select coalesce(max(last), 0)::int as last from alert_change_counters',
    );
    const tell = (...told: ('began' | 'ended')[]) =>
      lab.write((connection) =>
        insertChanges(
          connection,
          contextId,
          told.map((change) => ({ eventId, change })),
        ),
      );
    await tell('began', 'ended');
    await tell();
    await tell('began');
    const rows = await changes();
    const first = (before[0]?.last ?? 0) + 1;
    expect(rows.map(({ number, change }) => [number, change])).toEqual([
      [first, 'began'],
      [first + 1, 'ended'],
      [first + 2, 'began'],
    ]);
    expect(rows[0]?.nonce).toBe(rows[1]?.nonce);
    expect(rows[2]?.nonce).not.toBe(rows[1]?.nonce);
  });

  it('become visible in order: the second transaction waits for the first to commit', async () => {
    const { eventId, contextId } = await facts();
    const order: string[] = [];
    const tell = (change: 'began' | 'ended', meanwhile: () => Promise<void>) =>
      lab.write((connection) =>
        inTransaction(connection, async () => {
          await lockChanges(connection, contextId);
          await insertChanges(connection, contextId, [{ eventId, change }]);
          await meanwhile();
          order.push(change);
        }),
      );
    let second = Promise.resolve();
    await tell('began', async () => {
      second = tell('ended', async () => {});
      await waiting();
    });
    await second;
    expect(order).toEqual(['began', 'ended']);
    expect((await changes()).map(({ change }) => change)).toEqual(['began', 'ended']);
  });

  it('are not reused after their events are dropped', async () => {
    const { eventId, contextId } = await facts();
    const tell = (id: string) =>
      lab.write((connection) =>
        insertChanges(connection, contextId, [{ eventId: id, change: 'began' }]),
      );
    await tell(eventId);
    const [before] = await changes();
    await lab.sql('delete from alert_events');
    expect(await changes()).toEqual([]);
    await fireAlerts(lab, { context: CONTEXT, startedAt: T0, key: 'k', value: 11 });
    await tell((await facts()).eventId);
    const [after] = await changes();
    expect(after?.number).toBe((before?.number ?? 0) + 1);
  });
});

/** Returns when a session waits for a lock. */
async function waiting(): Promise<void> {
  for (;;) {
    const rows = await lab.sql(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}
