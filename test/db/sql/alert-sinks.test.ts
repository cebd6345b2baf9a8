import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertChanges, insertDeliveries } from '../../../db/sql/alert-decisions.ts';
import { countWaitingDeliveries, selectNotifiedSinks } from '../../../db/sql/alert-deliveries.ts';
import {
  type AlertSink,
  deleteSink,
  selectSinks,
  upsertSink,
} from '../../../db/sql/alert-rules.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let lab: AlertLab;

beforeAll(async () => {
  lab = await openAlertLab();
});

afterAll(() => lab.close());

const webhook = (name: string): AlertSink => ({
  name,
  kind: 'webhook',
  url: `http://${name}.test/`,
  urlEnv: null,
  secretEnv: 'SECRET',
});

const alertmanager = (name: string): AlertSink => ({
  name,
  kind: 'alertmanager',
  url: null,
  urlEnv: 'ALERTMANAGER_URL',
  secretEnv: null,
});

/** Adds a rule with an event that fires. */
async function addFiring(n: number): Promise<string> {
  const alertId = await lab.addRule(`rule ${n}`);
  return lab.addEvent({ id: eventId(n), alertId, startedAt: 300 });
}

const deliver = (began: readonly string[], ended: readonly string[]) =>
  insertDeliveries(lab.connection, lab.lab.contextId, { began, ended });

describe('the sinks of a context', () => {
  it('are selected by name, without those of other contexts', async () => {
    await lab.undone(async () => {
      const { connection } = lab;
      await upsertSink(connection, lab.lab.contextId, webhook('pager'));
      await upsertSink(connection, lab.lab.contextId, alertmanager('am'));
      await upsertSink(connection, lab.elsewhere.contextId, webhook('mail'));
      expect(await selectSinks(connection, lab.lab.contextId)).toEqual([
        alertmanager('am'),
        webhook('pager'),
      ]);
    });
  });

  it('keep their deliveries when they are changed', async () => {
    await lab.undone(async () => {
      await upsertSink(lab.connection, lab.lab.contextId, webhook('pager'));
      await deliver([await addFiring(1)], []);
      const changed = { ...alertmanager('am'), name: 'pager' };
      await upsertSink(lab.connection, lab.lab.contextId, changed);
      expect(await selectSinks(lab.connection, lab.lab.contextId)).toEqual([changed]);
      expect(await lab.deliveries()).toEqual([
        { sink: 'pager', event: eventId(1), change: 'began', state: 'waiting' },
      ]);
    });
  });

  it('lose their deliveries when they are deleted, and one of the same name elsewhere stays', async () => {
    await lab.undone(async () => {
      const { connection } = lab;
      await upsertSink(connection, lab.lab.contextId, webhook('pager'));
      await upsertSink(connection, lab.elsewhere.contextId, webhook('pager'));
      await deliver([await addFiring(1)], []);
      await deleteSink(connection, lab.lab.contextId, 'pager');
      expect(await selectSinks(connection, lab.lab.contextId)).toEqual([]);
      expect(await lab.deliveries()).toEqual([]);
      expect(await selectSinks(connection, lab.elsewhere.contextId)).toEqual([webhook('pager')]);
    });
  });
});

describe('waiting deliveries', () => {
  it('are counted by kind of sink, without what was delivered or given up', async () => {
    await lab.undone(async () => {
      for (const name of ['pager', 'mail']) await lab.addSink(name);
      await lab.addSink('am', 'alertmanager', lab.elsewhere.contextId);
      await deliver([await addFiring(1), await addFiring(2), await addFiring(3)], []);
      await lab.rowsOf('update alert_deliveries set delivered_at = now() where event_id = $1', [
        eventId(1),
      ]);
      await lab.rowsOf('update alert_deliveries set given_up_at = now() where event_id = $1', [
        eventId(2),
      ]);
      const counted = (atMost: number) => countWaitingDeliveries(lab.connection, atMost);
      expect(await counted(1000)).toEqual([{ kind: 'webhook', waiting: 2 }]);
    });
  });

  it('are counted up to a limit for each sink', async () => {
    await lab.undone(async () => {
      for (const name of ['pager', 'mail']) await lab.addSink(name);
      await deliver([await addFiring(1), await addFiring(2), await addFiring(3)], []);
      const counted = (atMost: number) => countWaitingDeliveries(lab.connection, atMost);
      expect(await counted(6)).toEqual([{ kind: 'webhook', waiting: 6 }]);
      expect(await counted(2)).toEqual([{ kind: 'webhook', waiting: 4 }]);
    });
  });
});

describe('the sinks to notify', () => {
  it('come from all contexts', async () => {
    await lab.undone(async () => {
      const pager = await lab.addSink('pager');
      const am = await lab.addSink('am', 'alertmanager', lab.elsewhere.contextId);
      const common = { urlEnv: null, secretEnv: null };
      expect(await selectNotifiedSinks(lab.connection)).toEqual([
        {
          ...common,
          sinkId: pager,
          contextId: lab.lab.contextId,
          context: 'lab',
          name: 'pager',
          kind: 'webhook',
          url: 'http://pager',
        },
        {
          ...common,
          sinkId: am,
          contextId: lab.elsewhere.contextId,
          context: 'elsewhere',
          name: 'am',
          kind: 'alertmanager',
          url: 'http://am',
        },
      ]);
    });
  });
});

describe('deliveries', () => {
  it('of beginnings go to all sinks of the context', async () => {
    await lab.undone(async () => {
      await lab.addSink('pager');
      await lab.addSink('am', 'alertmanager');
      await lab.addSink('mail', 'webhook', lab.elsewhere.contextId);
      await deliver([await addFiring(1)], []);
      expect(await lab.deliveries()).toEqual([
        { sink: 'am', event: eventId(1), change: 'began', state: 'waiting' },
        { sink: 'pager', event: eventId(1), change: 'began', state: 'waiting' },
      ]);
    });
  });

  it('of ends go to sinks that were told the beginning, and to every Alertmanager', async () => {
    await lab.undone(async () => {
      await lab.addSink('pager');
      const known = await addFiring(1);
      await deliver([known], []);
      await lab.addSink('new am', 'alertmanager');
      await lab.addSink('new pager');
      await deliver([], [known]);
      expect(await lab.deliveries()).toEqual([
        { sink: 'new am', event: known, change: 'ended', state: 'waiting' },
        { sink: 'pager', event: known, change: 'began', state: 'waiting' },
        { sink: 'pager', event: known, change: 'ended', state: 'waiting' },
      ]);
    });
  });

  it('of an event that begins and ends at once include its end', async () => {
    await lab.undone(async () => {
      await lab.addSink('pager');
      const brief = await addFiring(1);
      await deliver([brief], [brief]);
      expect(await lab.deliveries()).toEqual([
        { sink: 'pager', event: brief, change: 'began', state: 'waiting' },
        { sink: 'pager', event: brief, change: 'ended', state: 'waiting' },
      ]);
    });
  });
});

describe('changes of events', () => {
  it('are announced with the context, unless nothing changed', async () => {
    const heard: (string | undefined)[] = [];
    const done = new Promise<void>((resolve) => {
      lab.other.on('notification', ({ channel, payload }) => {
        if (channel === 'done') resolve();
        else heard.push(payload);
      });
    });
    await lab.other.query('listen countergraph_alerts; listen done');
    await insertChanges(lab.connection, lab.elsewhere.contextId, []);
    const changes = [{ eventId: await addFiring(9), change: 'began' as const }];
    await insertChanges(lab.connection, lab.lab.contextId, changes);
    // Notifications arrive in the order of commits, so nothing more can come after this one.
    await lab.connection.query('notify done');
    await done;
    expect(heard).toEqual([String(lab.lab.contextId)]);
  });
});
