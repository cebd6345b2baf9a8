import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertChanges } from '../../../db/sql/alert-decisions.ts';
import {
  type AlertRow,
  type EventRow,
  NO_CHANGE,
  selectAlerts,
  selectChangeCounter,
  selectChanges,
  selectEvents,
  selectFiringEvents,
  selectRevisions,
} from '../../../db/sql/alert-events.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { group, guidOf, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;
/** The rules by their names. */
let rules: ReadonlyMap<string, { readonly alertId: number; readonly revision: string }>;

const rule = (name: string, more: object = {}) => ({
  name,
  group: guidOf(1),
  when: { key_above: 1000 },
  ...more,
});

beforeAll(async () => {
  db = await openQueryDatabase();
  const groups = [group(1), group(2)];
  await db.apply({ context: 'other', groups, alerts: [rule('elsewhere')] });
  await db.apply({
    context: 'lab',
    groups,
    alerts: [
      rule('quiet', { enabled: false }),
      rule('hidden', { group: guidOf(2) }),
      rule('big', {
        when: { key_share_above: 0.25 },
        filter: { match: '^a' },
        probe: 'east',
        severity: 'critical',
        description: 'somebody sends a lot',
        window_seconds: 600,
      }),
      rule('old'),
    ],
  });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
  await db.sql('update counter_groups set enabled = false where group_id = $1', [
    await db.groupId('lab', 'Group 2'),
  ]);
  await db.sql(`update alerts set superseded_at = now() where name = 'old'`);
  await db.sql(`update alerts set evaluated_to = $1 where name = 'big'`, [T0]);
  const rows = await db.sql<{ name: string; alertId: number; revision: string }>(
    'select name, alert_id as "alertId", revision from alerts',
  );
  rules = new Map(rows.map(({ name, alertId, revision }) => [name, { alertId, revision }]));
});

beforeEach(async () => {
  await db.sql('delete from alert_events');
  await db.sql('delete from alert_change_counters');
});

afterAll(() => db.close());

const idsOf = (name: string) => rules.get(name) ?? { alertId: 0, revision: '' };

const bigRule = async (): Promise<AlertRow> => ({
  contextId: lab,
  alertId: idsOf('big').alertId,
  revision: idsOf('big').revision,
  name: 'big',
  severity: 'critical',
  description: 'somebody sends a lot',
  groupId: await db.groupId('lab', 'Group 1'),
  meterId: 0,
  windowSeconds: 600,
  condition: 'key_share_above',
  threshold: 0.25,
  probe: 'east',
  filter: { match: '^a' },
  forWindows: 1,
  clearWindows: 1,
  maxKeys: 100,
  enabled: true,
  madeBy: null,
  silence: null,
  evaluatedTo: T0,
});

type Event = {
  readonly rule?: string;
  readonly key?: string | null;
  readonly startedAt?: number;
  readonly endedAt?: number | null;
  readonly value?: string;
};

/** Inserts an event and returns its id. */
async function insertEvent(event: Event = {}): Promise<string> {
  const { rule: name = 'big', key = 'a', startedAt = T0, endedAt = null, value = '5' } = event;
  const eventId = randomUUID();
  await db.sql(
    `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
       peak_value)
     select $1, alert_id, context_id, $3, $4, $5, $6, $6::numeric + 1.5 from alerts
     where alert_id = $2`,
    [eventId, idsOf(name).alertId, key, startedAt, endedAt, value],
  );
  return eventId;
}

const firingEvent = async (eventId: string): Promise<EventRow> => ({
  contextId: lab,
  eventId,
  alertId: idsOf('big').alertId,
  revision: idsOf('big').revision,
  groupId: await db.groupId('lab', 'Group 1'),
  key: 'a',
  startedAt: T0,
  endedAt: null,
  value: '5',
  peakValue: '6',
  acknowledged: null,
  condition: 'key_share_above',
  probe: 'east',
});

describe('the rules of contexts', () => {
  const ask = (contextIds: readonly number[]) =>
    db.read((session) => selectAlerts(session, contextIds));

  it('come by name, without old revisions and rules of disabled groups', async () => {
    const rows = await ask([lab]);
    expect(rows.map(({ name, enabled }) => ({ name, enabled }))).toEqual([
      { name: 'big', enabled: true },
      { name: 'quiet', enabled: false },
    ]);
    expect(rows[0]).toEqual(await bigRule());
    expect(rows[1]).toMatchObject({
      description: null,
      probe: null,
      filter: null,
      evaluatedTo: null,
    });
  });

  it('come context by context', async () => {
    const rows = await ask([lab, other]);
    expect(rows.map(({ contextId, name }) => ({ contextId, name }))).toEqual([
      { contextId: other, name: 'elsewhere' },
      { contextId: lab, name: 'big' },
      { contextId: lab, name: 'quiet' },
    ]);
    expect(await ask([])).toEqual([]);
  });
});

describe('revisions of rules', () => {
  it('are found even if they are superseded, but not for disabled groups', async () => {
    const asked = ['big', 'old', 'hidden'].map((name) => idsOf(name).revision);
    const rows = await db.read((session) => selectRevisions(session, [...asked, randomUUID()]));
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['big', 'old']);
    expect(rows.find(({ name }) => name === 'big')).toEqual(await bigRule());
  });
});

describe('events', () => {
  const ask = (eventIds: readonly string[]) =>
    db.read((session) => selectEvents(session, eventIds));

  it('are found by their ids, but not for disabled groups', async () => {
    const eventId = await insertEvent();
    const hidden = await insertEvent({ rule: 'hidden' });
    await insertEvent({ key: 'b' });
    expect(await ask([eventId, hidden, randomUUID()])).toEqual([await firingEvent(eventId)]);
  });

  it('have whole values of any size, and their end', async () => {
    const value = '123456789012345678901234567890.75';
    const eventId = await insertEvent({ value, key: null, endedAt: T0 + 60 });
    expect(await ask([eventId])).toMatchObject([
      {
        key: null,
        endedAt: T0 + 60,
        value: '123456789012345678901234567890',
        peakValue: '123456789012345678901234567892',
      },
    ]);
  });

  it('have the revision that began them', async () => {
    const eventId = await insertEvent({ rule: 'old' });
    const { alertId, revision } = idsOf('old');
    expect(await ask([eventId])).toMatchObject([{ eventId, alertId, revision }]);
  });
});

describe('firing events', () => {
  it('come in the order in which they began, then by key', async () => {
    await insertEvent({ key: 'c', startedAt: T0 + 60 });
    await insertEvent({ key: 'b' });
    const first = await insertEvent({ key: 'a' });
    await insertEvent({ rule: 'quiet', key: null, startedAt: T0 + 30 });
    await insertEvent({ key: 'ended', endedAt: T0 + 60 });
    await insertEvent({ rule: 'hidden' });
    await insertEvent({ rule: 'elsewhere' });
    const asked = ['big', 'quiet', 'hidden'].map((name) => idsOf(name).alertId);
    const rows = await db.read((session) => selectFiringEvents(session, asked));
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b', null, 'c']);
    expect(rows[0]).toEqual(await firingEvent(first));
  });
});

describe('the changes of the alerts of a context', () => {
  const began = (eventId: string) => ({ eventId, change: 'began' }) as const;
  const ended = (eventId: string) => ({ eventId, change: 'ended' }) as const;

  it('come in order after a given one, with the events as they are now', async () => {
    const first = await insertEvent({ endedAt: T0 + 60 });
    const hidden = await insertEvent({ rule: 'hidden' });
    const elsewhere = await insertEvent({ rule: 'elsewhere' });
    await insertChanges(db.connection, other, [began(elsewhere)]);
    await insertChanges(db.connection, lab, [began(first), began(hidden)]);
    await insertChanges(db.connection, lab, [ended(first)]);
    const ask = (after: number, limit: number) =>
      db.read((session) => selectChanges(session, { contextId: lab, after, limit }));
    const rows = await ask(0, 10);
    expect(rows).toMatchObject([
      { number: 1, change: 'began', eventId: first, endedAt: T0 + 60 },
      { number: 2, change: 'began', eventId: hidden, endedAt: null },
      { number: 3, change: 'ended', eventId: first, endedAt: T0 + 60 },
    ]);
    const event = { ...(await firingEvent(first)), endedAt: T0 + 60 };
    const nonces = await db.sql<{ nonce: string }>(
      'select nonce::text from alert_changes where context_id = $1 order by number',
      [lab],
    );
    expect(rows[0]).toEqual({ ...event, ...nonces[0], number: 1, change: 'began' });
    expect(await ask(1, 1)).toEqual([rows[1]]);
    expect(await ask(3, 10)).toEqual([]);
  });

  it('are counted, and the counter says whether one follows', async () => {
    const ask = (contextId: number, place = NO_CHANGE) =>
      db.read((session) => selectChangeCounter(session, contextId, place));
    expect(await ask(lab)).toEqual({ number: 0, nonce: '0', hasNext: false });
    const event = await insertEvent({ endedAt: T0 + 60 });
    await insertChanges(db.connection, lab, [began(event)]);
    const first = await ask(lab);
    expect(first).toEqual({ number: 1, nonce: expect.stringMatching(/^\d+$/), hasNext: true });
    expect(await ask(lab, first)).toMatchObject({ hasNext: false });
    await insertChanges(db.connection, lab, [ended(event)]);
    const second = await ask(lab, first);
    expect(second).toEqual({ number: 2, nonce: expect.any(String), hasNext: true });
    expect(second.nonce).not.toBe(first.nonce);
    // The change has the nonces of its own transaction and of the one before, and no others.
    expect(await ask(lab, { number: 1, nonce: second.nonce })).toMatchObject({ hasNext: true });
    expect(await ask(lab, { number: 1, nonce: '-1' })).toMatchObject({ hasNext: false });
    expect(await ask(lab, second)).toMatchObject({ hasNext: false });
    expect(await ask(other)).toEqual({ number: 0, nonce: '0', hasNext: false });
  });
});
