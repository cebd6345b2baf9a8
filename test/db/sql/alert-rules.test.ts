import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectDataTimes, selectRuleState, selectWatch } from '../../../db/sql/alert-decisions.ts';
import { selectStoredAlerts, supersedeAlert } from '../../../db/sql/alert-rules.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let alerts: AlertLab;
/** Slices of the context `lab`: an available one, and an archived one after it. */
let available: number;
let archived: number;

beforeAll(async () => {
  alerts = await openAlertLab();
  const { contextId } = alerts.lab;
  await alerts.apply({ context: 'lab', probes: [{ id: 'east' }, { id: 'west' }] });
  available = await alerts.addSlice({ contextId, startsAt: 0, endsAt: 86_400 });
  archived = await alerts.addSlice({
    contextId,
    startsAt: 86_400,
    endsAt: 172_800,
    archived: true,
  });
});

afterAll(() => alerts.close());

type Covered = {
  readonly first: number;
  readonly last: number;
  readonly sliceId?: number;
  /** null: readings without a probe. */
  readonly probe?: string | null;
  readonly committedAt?: number;
  readonly newestAt?: number;
  /** The newest bucket that was not ahead when it was committed; null: there is none. */
  readonly present?: number | null;
};

async function cover({ first, last, ...more }: Covered): Promise<void> {
  const { sliceId = available, probe = null, committedAt = 0, newestAt = 0 } = more;
  const { present = last } = more;
  await alerts.connection.query(
    `insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket, committed_at,
       newest_at, present_bucket)
     values ($1, $2, coalesce((select probe_id from probes where name = $3), 0), $4, $5,
       to_timestamp($6), to_timestamp($7), $8)`,
    [sliceId, alerts.lab.groupId, probe, first, last, committedAt, newestAt, present],
  );
}

const beginsAfter = async (alertId: number): Promise<number | null | undefined> =>
  (await selectStoredAlerts(alerts.connection, null)).find((each) => each.alertId === alertId)
    ?.beginsAfter;

const ruleNames = async (contextId: number | null): Promise<string[]> =>
  (await selectStoredAlerts(alerts.connection, contextId)).map(
    ({ context, rule }) => `${context} ${rule.name}`,
  );

describe('the rules of a context', () => {
  it('are selected as they were inserted', async () => {
    await alerts.undone(async () => {
      const changes = {
        when: { condition: 'key_share_above', threshold: 12.5 },
        filter: { match: '^a' },
        probe: 'east',
        description: 'Too much',
        enabled: false,
      } as const;
      const alertId = await alerts.addRule('big', changes);
      const [stored, ...others] = await selectStoredAlerts(alerts.connection, alerts.lab.contextId);
      expect(others).toEqual([]);
      expect(stored).toEqual({
        alertId,
        contextId: alerts.lab.contextId,
        context: 'lab',
        revision: expect.stringMatching(/^[0-9a-f-]{36}$/),
        rule: alerts.rule('big', changes),
        origin: { madeBy: null, silence: null },
        guid: 'abcdef00-0000-4000-8000-000000000001',
        topperBucketSize: 300,
        beginsAfter: null,
        evaluatedTo: null,
      });
    });
  });

  it('come by name, from one context or from all, without superseded revisions', async () => {
    await alerts.undone(async () => {
      await alerts.addRule('b');
      await alerts.addRule('a');
      await alerts.addRule('c', { groupId: alerts.elsewhere.groupId });
      const old = await alerts.addRule('old');
      await alerts.rowsOf('update alerts set superseded_at = now() where alert_id = $1', [old]);
      expect(await ruleNames(alerts.lab.contextId)).toEqual(['lab a', 'lab b']);
      expect(await ruleNames(null)).toEqual(['lab a', 'lab b', 'elsewhere c']);
    });
  });
});

describe('a new revision', () => {
  it('begins after the newest bucket of all slices that are not archived', async () => {
    await alerts.undone(async () => {
      await cover({ first: 0, last: 600 });
      await cover({ first: 0, last: 1200, probe: 'east' });
      await cover({ first: 86_400, last: 90_000, sliceId: archived });
      expect(await beginsAfter(await alerts.addRule('any'))).toBe(1260);
    });
  });

  it('of a rule for a probe begins after that probe’s data, or at once if it has none', async () => {
    await alerts.undone(async () => {
      await cover({ first: 0, last: 600, probe: 'east' });
      await cover({ first: 0, last: 1200 });
      expect(await beginsAfter(await alerts.addRule('east', { probe: 'east' }))).toBe(660);
      expect(await beginsAfter(await alerts.addRule('west', { probe: 'west' }))).toBeNull();
    });
  });

  it('is refused while another of the same name is in force', async () => {
    await alerts.undone(async () => {
      await alerts.addRule('big');
      await expect(alerts.addRule('big')).rejects.toThrow('alerts_by_name');
    });
  });
});

describe('the times of a rule’s data', () => {
  it('span its probes and slices, except archived ones', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('any');
      await cover({ first: 120, last: 600, committedAt: 5000.9, newestAt: 5000.9 });
      await cover({ first: 60, last: 540, probe: 'east', committedAt: 4000, newestAt: 1000 });
      await cover({ first: 86_400, last: 90_000, sliceId: archived, committedAt: 9000 });
      expect(await selectDataTimes(alerts.connection, [alertId])).toEqual([
        { alertId, first: 60, end: 660, isAhead: false, committedAt: 5000, newestAt: 5000 },
      ]);
    });
  });

  it('name the first commit that brought the newest bucket', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('any');
      await cover({ first: 0, last: 600, committedAt: 3000, newestAt: 2000 });
      await cover({ first: 0, last: 600, probe: 'east', committedAt: 2500, newestAt: 1500 });
      await cover({ first: 0, last: 540, probe: 'west', committedAt: 1200, newestAt: 1000 });
      expect(await selectDataTimes(alerts.connection, [alertId])).toEqual([
        { alertId, first: 0, end: 660, isAhead: false, committedAt: 3000, newestAt: 1500 },
      ]);
    });
  });

  it('leave out what is ahead of the clock, unless all is', async () => {
    await alerts.undone(async () => {
      const now = Math.floor(Date.now() / 1000);
      const last = now + 36_000;
      const ahead = await alerts.addRule('ahead', { probe: 'east' });
      await cover({ first: last, last, probe: 'east', newestAt: 3000, present: null });
      expect(await beginsAfter(await alerts.addRule('early'))).toBe(last + 60);
      await cover({ first: 0, last, present: 600, newestAt: 2000 });
      const alertId = await alerts.addRule('any');
      const committedAt = 0;
      expect(await selectDataTimes(alerts.connection, [alertId, ahead])).toEqual([
        {
          alertId: ahead,
          first: last,
          end: last + 60,
          isAhead: false,
          committedAt,
          newestAt: 3000,
        },
        { alertId, first: 0, end: 660, isAhead: true, committedAt, newestAt: 2000 },
      ]);
      expect(await beginsAfter(alertId)).toBe(660);
    });
  });

  it('are those of its probe, and a rule without data has none', async () => {
    await alerts.undone(async () => {
      const east = await alerts.addRule('east', { probe: 'east' });
      const west = await alerts.addRule('west', { probe: 'west' });
      await cover({ first: 0, last: 600 });
      await cover({ first: 60, last: 120, probe: 'east', committedAt: 2000, newestAt: 2000 });
      expect(await selectDataTimes(alerts.connection, [east, west])).toEqual([
        { alertId: east, first: 60, end: 180, isAhead: false, committedAt: 2000, newestAt: 2000 },
      ]);
    });
  });
});

describe('what the evaluator watches', () => {
  it('is the number of firing events and of silenced rules, and the enabled rules with the version of their data', async () => {
    await alerts.undone(async () => {
      const first = await alerts.addRule('first');
      const second = await alerts.addRule('second', { groupId: alerts.elsewhere.groupId });
      const off = await alerts.addRule('off', { enabled: false });
      const old = await alerts.addRule('old');
      await alerts.rowsOf('update alerts set superseded_at = now() where alert_id = $1', [old]);
      await alerts.rowsOf(
        `update alerts set silenced_until = now() + interval '1 hour', silenced_by = 'ada'
         where alert_id in ($1, $2)`,
        [first, old],
      );
      await alerts.addEvent({ id: eventId(1), alertId: first, startedAt: 300 });
      await alerts.addEvent({ id: eventId(2), alertId: off, startedAt: 300 });
      await alerts.addEvent({ id: eventId(3), alertId: first, startedAt: 0, endedAt: 300 });
      const versions = await alerts.rowsOf<{ alertId: number; version: string }>(
        `select alert_id as "alertId", version || ' ' || nonce as version
         from alerts join context_versions using (context_id)
         where alert_id in ($1, $2) order by alert_id`,
        [first, second],
      );
      expect(versions).toHaveLength(2);
      expect(await selectWatch(alerts.connection)).toEqual({
        isReader: false,
        now: expect.toSatisfy((now: number) => Math.abs(now - Date.now() / 1000) < 60),
        firing: 2,
        silenced: 1,
        rules: versions,
      });
    });
  });
});

const endsOf = (alertId: number) =>
  alerts.rowsOf<{ event: string; ended: number | null }>(
    `select event_id as event, ended_at::int as ended from alert_events
     where alert_id = $1 order by event_id`,
    [alertId],
  );

const isStored = async (alertId: number): Promise<boolean> =>
  (await alerts.rowsOf('select from alerts where alert_id = $1', [alertId])).length === 1;

describe('a revision that is superseded', () => {
  it('is deleted at once if it has no events', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      await supersedeAlert(alerts.connection, { alertId, contextId: alerts.lab.contextId });
      expect(await isStored(alertId)).toBe(false);
    });
  });

  it('ends its firing events with its last window, and tells the sinks', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      const other = await alerts.addRule('other');
      await alerts.addSink('am', 'alertmanager');
      await alerts.rowsOf('update alerts set evaluated_to = 900 where alert_id = $1', [alertId]);
      const firing = await alerts.addEvent({ id: eventId(1), alertId, startedAt: 300 });
      const over = await alerts.addEvent({ id: eventId(2), alertId, startedAt: 0, endedAt: 300 });
      await alerts.addEvent({ id: eventId(3), alertId: other, startedAt: 300 });
      await supersedeAlert(alerts.connection, { alertId, contextId: alerts.lab.contextId });
      expect(await isStored(alertId)).toBe(true);
      expect(await ruleNames(null)).toEqual(['lab other']);
      expect(await selectRuleState(alerts.connection, alertId)).toBeNull();
      expect(await endsOf(alertId)).toEqual([
        { event: firing, ended: 900 },
        { event: over, ended: 300 },
      ]);
      expect(await endsOf(other)).toEqual([{ event: eventId(3), ended: null }]);
      expect(await alerts.changes(alerts.lab.contextId)).toEqual([
        { number: 1, event: firing, change: 'ended' },
      ]);
      expect(await alerts.deliveries()).toEqual([
        { sink: 'am', event: firing, change: 'ended', state: 'waiting' },
      ]);
    });
  });

  it('ends no event before it began', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      const firing = await alerts.addEvent({ id: eventId(1), alertId, startedAt: 300 });
      await supersedeAlert(alerts.connection, { alertId, contextId: alerts.lab.contextId });
      expect(await endsOf(alertId)).toEqual([{ event: firing, ended: 300 }]);
    });
  });
});
