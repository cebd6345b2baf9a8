import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectEventsToDecide } from '../../../db/sql/alert-decisions.ts';
import {
  NOTIFIED_COLUMNS,
  NOTIFIED_TABLES,
  type NotifiedEvent,
  selectDueDeliveries,
  updateDelivered,
  updateFailed,
} from '../../../db/sql/alert-deliveries.ts';
import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import { group, guidOf } from '../../support/lab/lab.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let alerts: AlertLab;

beforeAll(async () => {
  alerts = await openAlertLab();
  const crosskey = { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) };
  await alerts.apply({
    context: 'lab',
    groups: [group(2, { key_kind: 'port' }), group(3, { key_kind: 'crosskey', crosskey })],
  });
});

afterAll(() => alerts.close());

type AddedDelivery = {
  readonly sinkId: number;
  readonly event: string;
  readonly change?: AlertChange;
  /** Seconds until it is due; negative: it has been due for so long. */
  readonly dueIn?: number;
  readonly state?: 'waiting' | 'delivered' | 'given up';
  readonly attempts?: number;
  /** Seconds since it was created. */
  readonly age?: number;
};

async function addDelivery({ sinkId, event, ...more }: AddedDelivery): Promise<void> {
  const { change = 'began', dueIn = 0, state = 'waiting', attempts = 0, age = 0 } = more;
  await alerts.connection.query(
    `insert into alert_deliveries (event_id, sink_id, change, due_at, attempts, created_at,
       delivered_at, given_up_at)
     values ($1, $2, $3, now() + interval '1 s' * $4, $5, now() - interval '1 s' * $6,
       case $7 when 'delivered' then now() end, case $7 when 'given up' then now() end)`,
    [event, sinkId, change, dueIn, attempts, age, state],
  );
}

/** Adds a rule with firing events, which began in reverse order. */
async function addEvents(count: number): Promise<string[]> {
  const alertId = await alerts.addRule('big');
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const startedAt = 300 * (count - n);
    ids.push(await alerts.addEvent({ id: eventId(n), alertId, startedAt, key: `k${n}` }));
  }
  return ids;
}

async function due(sinkId: number, most = 100): Promise<string[]> {
  const found = await selectDueDeliveries(alerts.connection, [{ sinkId, most }]);
  return found.map(({ change, event }) => `${change} ${Number(event.eventId.slice(-3))}`);
}

describe('what a notification says about an event', () => {
  const notified = async (): Promise<NotifiedEvent[]> =>
    (
      await alerts.connection.query<NotifiedEvent>(
        `select ${NOTIFIED_COLUMNS} from alert_events e ${NOTIFIED_TABLES}`,
      )
    ).rows;

  it('is its rule, its group and meter, and its values as integers of any size', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big', { description: 'Too much', severity: 'page' });
      const value = '9007199254740993';
      await alerts.addEvent({
        id: eventId(1),
        alertId,
        startedAt: 300,
        endedAt: 600,
        key: 'k',
        value,
      });
      expect(await notified()).toEqual([
        {
          eventId: eventId(1),
          context: 'lab',
          alert: 'big',
          severity: 'page',
          description: 'Too much',
          condition: 'key_above',
          threshold: 1000,
          key: 'k',
          startedAt: 300,
          endedAt: 600,
          value,
          peakValue: value,
          keysGroupId: alerts.lab.groupId,
          groupGuid: 'abcdef00-0000-4000-8000-000000000001',
          groupName: 'Group 1',
          keyKind: 'text',
          meter: 0,
          meterName: 'Meter 0',
          parts: [],
        },
      ]);
    });
  });

  it('includes the groups of a cross-key’s parts, in order, and null for one that is gone', async () => {
    await alerts.undone(async () => {
      const { contextId, groupId: hosts } = alerts.lab;
      const ports = await alerts.groupId(contextId, guidOf(2));
      const groupId = await alerts.groupId(contextId, guidOf(3));
      const alertId = await alerts.addRule('pair', { groupId });
      await alerts.addEvent({ id: eventId(1), alertId, startedAt: 300, key: 'a\\b' });
      const parts = async () => (await notified()).map((each) => each.parts);
      expect(await parts()).toEqual([
        [
          { groupId: hosts, keyKind: 'text' },
          { groupId: ports, keyKind: 'port' },
        ],
      ]);
      await alerts.rowsOf('delete from counter_groups where group_id = $1', [hosts]);
      expect(await parts()).toEqual([[null, { groupId: ports, keyKind: 'port' }]]);
    });
  });
});

describe('the firing events of a context', () => {
  it('come in the order in which they began, that of the whole group last', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      const { groupId } = alerts.elsewhere;
      const elsewhere = await alerts.addRule('elsewhere', { groupId });
      await alerts.addEvent({ id: eventId(1), alertId, startedAt: 300 });
      await alerts.addEvent({ id: eventId(2), alertId, startedAt: 300, key: 'b' });
      await alerts.addEvent({ id: eventId(3), alertId, startedAt: 300, key: 'a' });
      await alerts.addEvent({ id: eventId(4), alertId, startedAt: 0, key: 'z' });
      await alerts.addEvent({ id: eventId(5), alertId, startedAt: 0, endedAt: 300, key: 'y' });
      await alerts.addEvent({ id: eventId(6), alertId: elsewhere, startedAt: 0 });
      const firing = await selectEventsToDecide(alerts.connection, alerts.lab.contextId);
      expect(firing.map(({ key, endedAt }) => [key, endedAt])).toEqual([
        ['z', null],
        ['a', null],
        ['b', null],
        [null, null],
      ]);
    });
  });
});

describe('due deliveries', () => {
  it('come the longest due first, those due together in the order of their events', async () => {
    await alerts.undone(async () => {
      const sinkId = await alerts.addSink('pager');
      const [first = '', second = '', third = ''] = await addEvents(3);
      await addDelivery({ sinkId, event: first, dueIn: -10 });
      await addDelivery({ sinkId, event: second });
      await addDelivery({ sinkId, event: third });
      expect(await due(sinkId)).toEqual(['began 1', 'began 3', 'began 2']);
    });
  });

  it('are neither delivered, nor given up, nor due only later', async () => {
    await alerts.undone(async () => {
      const sinkId = await alerts.addSink('pager');
      const [first = '', second = '', third = '', fourth = ''] = await addEvents(4);
      await addDelivery({ sinkId, event: first, state: 'delivered' });
      await addDelivery({ sinkId, event: second, state: 'given up' });
      await addDelivery({ sinkId, event: third, dueIn: 1 });
      await addDelivery({ sinkId, event: fourth });
      expect(await due(sinkId)).toEqual(['began 4']);
    });
  });

  it('include an end only after the beginning was delivered or given up', async () => {
    await alerts.undone(async () => {
      const sinkId = await alerts.addSink('pager');
      const am = await alerts.addSink('am', 'alertmanager');
      const [first = '', second = '', third = ''] = await addEvents(3);
      await addDelivery({ sinkId, event: first, dueIn: 60 });
      await addDelivery({ sinkId, event: second, state: 'delivered' });
      await addDelivery({ sinkId, event: third, state: 'given up' });
      for (const event of [first, second, third]) {
        await addDelivery({ sinkId, event, change: 'ended' });
      }
      await addDelivery({ sinkId: am, event: first, change: 'ended' });
      expect(await due(sinkId)).toEqual(['ended 3', 'ended 2']);
      expect(await due(am)).toEqual(['ended 1']);
    });
  });

  it('are those of the given sinks, as many as each of them wants', async () => {
    await alerts.undone(async () => {
      const pager = await alerts.addSink('pager');
      const mail = await alerts.addSink('mail');
      const unasked = await alerts.addSink('unasked');
      const events = await addEvents(2);
      for (const sinkId of [pager, mail, unasked]) {
        for (const [i, event] of events.entries()) await addDelivery({ sinkId, event, dueIn: -i });
      }
      const wanted = [
        { sinkId: pager, most: 1 },
        { sinkId: mail, most: 2 },
      ];
      const found = await selectDueDeliveries(alerts.connection, wanted);
      const of = (sinkId: number) =>
        found.filter((each) => each.sinkId === sinkId).map(({ event }) => event.eventId);
      expect(of(pager)).toEqual([eventId(2)]);
      expect(of(mail)).toEqual([eventId(2), eventId(1)]);
      expect(found).toHaveLength(3);
    });
  });
});

describe('changes that were delivered', () => {
  it('are marked and counted once, and only for their sink', async () => {
    await alerts.undone(async () => {
      const pager = await alerts.addSink('pager');
      const mail = await alerts.addSink('mail');
      const [first = '', second = ''] = await addEvents(2);
      await addDelivery({ sinkId: pager, event: first });
      await addDelivery({ sinkId: pager, event: first, change: 'ended' });
      await addDelivery({ sinkId: pager, event: second, state: 'given up' });
      await addDelivery({ sinkId: mail, event: first });
      const changes = [first, second].map((id) => ({ eventId: id, change: 'began' as const }));
      const told = { sinkId: pager, changes };
      expect(await updateDelivered(alerts.connection, told)).toBe(1);
      expect(await updateDelivered(alerts.connection, told)).toBe(0);
      expect(await alerts.deliveries()).toEqual([
        { sink: 'mail', event: first, change: 'began', state: 'waiting' },
        { sink: 'pager', event: first, change: 'began', state: 'delivered' },
        { sink: 'pager', event: first, change: 'ended', state: 'waiting' },
        { sink: 'pager', event: second, change: 'began', state: 'given up' },
      ]);
      const attempts = 'select attempts from alert_deliveries where sink_id = $1 order by attempts';
      expect(await alerts.rowsOf(attempts, [pager])).toEqual([
        { attempts: 0 },
        { attempts: 0 },
        { attempts: 1 },
      ]);
    });
  });
});

describe('a delivery that failed', () => {
  const RETRIES = { firstMs: 1000, longestMs: 60_000, giveUpMs: 86_400_000 };

  /** Lets a delivery that failed `attempts` times fail again; the transaction's time stands still. */
  const failAgain = (added: Pick<AddedDelivery, 'attempts' | 'age' | 'state'>) =>
    alerts.undone(async () => {
      const sinkId = await alerts.addSink('pager');
      const [event = ''] = await addEvents(1);
      await addDelivery({ sinkId, event, ...added });
      const changes = [{ eventId: event, change: 'began' as const }];
      const told = { sinkId, changes, reason: 'down' };
      const answers = await updateFailed(alerts.connection, told, RETRIES);
      const [row] = await alerts.rowsOf<{ attempts: number; pause: number }>(
        `select attempts, extract(epoch from due_at - now())::float8 as pause
         from alert_deliveries`,
      );
      return { answers, attempts: row?.attempts, pause: row?.pause };
    });

  it.each([
    [0, 1],
    [1, 2],
    [5, 32],
    [6, 60],
    [10_000, 60],
  ])('after %i failures is retried in %i seconds', async (attempts, pause) => {
    expect(await failAgain({ attempts })).toEqual({
      answers: ['retried'],
      attempts: attempts + 1,
      pause,
    });
  });

  it('is given up a day after the change', async () => {
    expect((await failAgain({ age: 86_399 })).answers).toEqual(['retried']);
    expect((await failAgain({ age: 86_400 })).answers).toEqual(['given up']);
  });

  it.each(['delivered', 'given up'] as const)('stays as it is once %s', async (state) => {
    expect(await failAgain({ state })).toEqual({ answers: [], attempts: 0, pause: 0 });
  });
});
