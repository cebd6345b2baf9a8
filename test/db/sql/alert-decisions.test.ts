import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_DECISION_LOCK, NOTIFICATION_LOCK } from '../../../db/advisory-locks.ts';
import {
  type Decision,
  selectRuleState,
  storedStreaks,
  tryLockDecisions,
  writeDecision,
} from '../../../db/sql/alert-decisions.ts';
import { tryLockNotifications } from '../../../db/sql/alert-deliveries.ts';
import { NOTHING_FIRES } from '../../../domain/alerts/decide-windows.ts';
import { type AlertLab, eventId, openAlertLab } from './alert-lab.ts';

let alerts: AlertLab;

beforeAll(async () => {
  alerts = await openAlertLab();
});

afterAll(() => alerts.close());

/** Exact only as an integer of any size. */
const LARGE = 9_007_199_254_740_993n;

const decision = (alertId: number, changes: Partial<Decision> = {}): Decision => ({
  alertId,
  contextId: alerts.lab.contextId,
  beginsAfter: null,
  before: { evaluatedTo: null },
  evaluatedTo: 600,
  state: NOTHING_FIRES,
  began: [],
  changed: [],
  ...changes,
});

const event = (n: number, key: string | null, startedAt: number, endedAt: number | null) => ({
  eventId: eventId(n),
  key,
  startedAt,
  endedAt,
  value: LARGE,
  peakValue: LARGE + 1n,
});

const storedEvents = (alertId: number) =>
  alerts.rowsOf(
    `select event_id as id, context_id as "contextId", key, started_at::int as started,
       ended_at::int as ended, value::text, peak_value::text as peak
     from alert_events where alert_id = $1 order by event_id`,
    [alertId],
  );

const decidedTo = (alertId: number) =>
  alerts.rowsOf(
    `select evaluated_to::int as "evaluatedTo", begins_after::int as "beginsAfter" from alerts
     where alert_id = $1`,
    [alertId],
  );

describe('the state of a rule', () => {
  it('is empty before the first decision', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      expect(await selectRuleState(alerts.connection, alertId)).toEqual({
        evaluatedTo: null,
        state: NOTHING_FIRES,
      });
    });
  });

  it('is read as it was written, with large values and the event of the whole group', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      const whole = event(1, null, 300, null);
      const ofKey = event(2, 'k', 600, null);
      const over = event(3, 'gone', 300, 600);
      const state = {
        firing: new Map([whole, ofKey].map(({ eventId: _, ...firing }) => [firing.key, firing])),
        streaks: { met: new Map([['a', 2]]), missed: new Map([[null, 1]]) },
      };
      const written = decision(alertId, { state, began: [whole, ofKey, over] });
      expect(await writeDecision(alerts.connection, written)).toBe(true);
      expect(await selectRuleState(alerts.connection, alertId)).toEqual({
        evaluatedTo: 600,
        state,
      });
    });
  });

  it('does not exist for a rule that is not enabled', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('off', { enabled: false });
      expect(await selectRuleState(alerts.connection, alertId)).toBeNull();
    });
  });

  it('is stored without empty streaks', () => {
    expect(storedStreaks(NOTHING_FIRES.streaks)).toEqual({});
    expect(storedStreaks({ met: new Map(), missed: new Map([['a', 1]]) })).toEqual({
      missed: [['a', 1]],
    });
  });
});

describe('a decision', () => {
  it('adds, changes and ends events, numbers the changes and tells the sinks', async () => {
    await alerts.undone(async () => {
      const { contextId } = alerts.lab;
      const alertId = await alerts.addRule('big');
      await alerts.addSink('pager');
      const first = event(1, 'k', 300, null);
      await writeDecision(alerts.connection, decision(alertId, { began: [first] }));
      const ended = { ...first, endedAt: 900, peakValue: LARGE + 5n };
      const next = decision(alertId, {
        before: { evaluatedTo: 600 },
        evaluatedTo: 900,
        changed: [ended],
        began: [event(2, 'k', 900, null)],
      });
      expect(await writeDecision(alerts.connection, next)).toBe(true);
      const common = { contextId, key: 'k', value: String(LARGE) };
      expect(await storedEvents(alertId)).toEqual([
        { ...common, id: eventId(1), started: 300, ended: 900, peak: String(LARGE + 5n) },
        { ...common, id: eventId(2), started: 900, ended: null, peak: String(LARGE + 1n) },
      ]);
      expect(await alerts.changes(contextId)).toEqual([
        { number: 1, event: eventId(1), change: 'began' },
        { number: 2, event: eventId(1), change: 'ended' },
        { number: 3, event: eventId(2), change: 'began' },
      ]);
      expect(await alerts.deliveries()).toEqual([
        { sink: 'pager', event: eventId(1), change: 'began', state: 'waiting' },
        { sink: 'pager', event: eventId(1), change: 'ended', state: 'waiting' },
        { sink: 'pager', event: eventId(2), change: 'began', state: 'waiting' },
      ]);
    });
  });

  it('sets where a rule without data begins, but moves no beginning', async () => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      await writeDecision(alerts.connection, decision(alertId, { beginsAfter: 120 }));
      const next = { before: { evaluatedTo: 600 }, evaluatedTo: 900, beginsAfter: 240 };
      await writeDecision(alerts.connection, decision(alertId, next));
      expect(await decidedTo(alertId)).toEqual([{ evaluatedTo: 900, beginsAfter: 120 }]);
    });
  });

  it.each([
    ['another server has decided meanwhile', 'evaluated_to = 300'],
    ['the revision is superseded', 'superseded_at = now()'],
    ['the rule is not enabled', 'enabled = false'],
  ])('writes nothing if %s', async (_case, change) => {
    await alerts.undone(async () => {
      const alertId = await alerts.addRule('big');
      await alerts.addSink('pager');
      await alerts.rowsOf(`update alerts set ${change} where alert_id = $1`, [alertId]);
      const before = await decidedTo(alertId);
      const late = decision(alertId, { beginsAfter: 120, began: [event(1, 'k', 300, null)] });
      expect(await writeDecision(alerts.connection, late)).toBe(false);
      expect(await decidedTo(alertId)).toEqual(before);
      expect(await storedEvents(alertId)).toEqual([]);
      expect(await alerts.changes(alerts.lab.contextId)).toEqual([]);
      expect(await alerts.deliveries()).toEqual([]);
    });
  });
});

describe.each([
  ['that decides alerts', tryLockDecisions, ALERT_DECISION_LOCK],
  ['that notifies sinks', tryLockNotifications, NOTIFICATION_LOCK],
])('the lock of the server %s', (_server, tryLock, lock) => {
  it('is held by one connection at a time, across transactions', async () => {
    await alerts.undone(async () => {
      expect(await tryLock(alerts.connection)).toBe(true);
    });
    expect(await tryLock(alerts.other)).toBe(false);
    await alerts.connection.query('select pg_advisory_unlock($1, 0)', [lock]);
    expect(await tryLock(alerts.other)).toBe(true);
    await alerts.other.query('select pg_advisory_unlock($1, 0)', [lock]);
  });
});
