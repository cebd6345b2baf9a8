import type { AlertEvent, RuleState, Streaks } from '../../domain/alerts/decide-windows.ts';
import { type AlertChange, eventChanges } from '../../domain/alerts/event-changes.ts';
import type { DataTimes } from '../../domain/alerts/windows.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { ALERT_CHANGE_LOCK, ALERT_DECISION_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import { newestBucketBy } from '../newest-bucket.ts';
import { NOTIFIED_COLUMNS, NOTIFIED_TABLES, type NotifiedEvent } from './alert-deliveries.ts';
import { MAY_KEEP } from './server-state.ts';

/** An event with its id (server/alerts/evaluate-rule.ts). */
export type IdentifiedEvent = AlertEvent & { readonly eventId: string };

export type Decision = {
  readonly alertId: number;
  readonly contextId: number;
  /** The rule begins with the first window that ends after this time. */
  readonly beginsAfter: EpochSeconds | null;
  /** The state that the decision continues from. */
  readonly before: Pick<DecidedTo, 'evaluatedTo'>;
  readonly evaluatedTo: EpochSeconds;
  readonly state: RuleState;
  readonly began: readonly IdentifiedEvent[];
  /** Events that existed before and have a new peak or have ended. */
  readonly changed: readonly IdentifiedEvent[];
};

/**
 * Stores a decision in the open transaction. Returns false, and writes nothing, if another server
 * has decided meanwhile or the revision is superseded or not enabled.
 */
export async function writeDecision(connection: Connection, decision: Decision): Promise<boolean> {
  const { alertId, contextId, before, began, changed } = decision;
  const changes = eventChanges(began, changed);
  if (changes.length > 0) await lockChanges(connection, contextId);
  // Locks the row until the end of the transaction: whichever server comes second finds the first
  // decision.
  const { rowCount } = await connection.query(
    `update alerts set evaluated_to = $3, streaks = $4, begins_after = coalesce(begins_after, $5)
     where alert_id = $1 and evaluated_to is not distinct from $2::bigint
       and superseded_at is null and enabled`,
    [
      alertId,
      before.evaluatedTo,
      decision.evaluatedTo,
      JSON.stringify(storedStreaks(decision.state.streaks)),
      decision.beginsAfter,
    ],
  );
  if (rowCount !== 1) return false;
  // Ends go first: a key may begin to fire again in the same decision.
  if (changed.length > 0) await updateEvents(connection, changed);
  // A silence that is set from now on comes after this decision.
  if (began.length > 0) await insertEvents(connection, decision);
  await insertChanges(connection, contextId, changes);
  const idsOf = (wanted: AlertChange) =>
    changes.filter(({ change }) => change === wanted).map(({ eventId }) => eventId);
  await insertDeliveries(connection, contextId, { began: idsOf('began'), ended: idsOf('ended') });
  return true;
}

const insertEvents = (connection: Connection, { alertId, contextId, began }: Decision) =>
  connection.query(
    `insert into alert_events
       (event_id, alert_id, context_id, key, started_at, ended_at, value, peak_value, is_held)
     select event_id, $1, $2, key, started_at, ended_at, value, peak_value, exists (
       select from alerts where alert_id = $1 and silenced_until > clock_timestamp())
     from unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::numeric[], $8::numeric[])
       as e(event_id, key, started_at, ended_at, value, peak_value)`,
    [
      alertId,
      contextId,
      began.map(({ eventId }) => eventId),
      began.map(({ key }) => key),
      began.map(({ startedAt }) => startedAt),
      began.map(({ endedAt }) => endedAt),
      began.map(({ value }) => String(value)),
      began.map(({ peakValue }) => String(peakValue)),
    ],
  );

const updateEvents = (connection: Connection, changed: readonly IdentifiedEvent[]) =>
  connection.query(
    `update alert_events e set ended_at = c.ended_at, peak_value = c.peak_value
     from unnest($1::uuid[], $2::bigint[], $3::numeric[]) as c(event_id, ended_at, peak_value)
     where e.event_id = c.event_id`,
    [
      changed.map(({ eventId }) => eventId),
      changed.map(({ endedAt }) => endedAt),
      changed.map(({ peakValue }) => String(peakValue)),
    ],
  );

/** How far a revision is decided, and its state at that point. */
export type DecidedTo = { readonly evaluatedTo: EpochSeconds | null; readonly state: RuleState };

type StreakPairs = readonly (readonly [key: string | null, windows: number])[];

type StoredStreaks = { readonly met?: StreakPairs; readonly missed?: StreakPairs };

type EventRow = Omit<AlertEvent, 'value' | 'peakValue' | 'endedAt'> & {
  readonly value: string;
  readonly peakValue: string;
};

type StateRow = {
  readonly evaluatedTo: number | null;
  readonly streaks: StoredStreaks;
  readonly firing: readonly EventRow[];
};

/** Selects how far a revision is decided; null: the revision is superseded, or not enabled. */
export async function selectRuleState(
  connection: Connection,
  alertId: number,
): Promise<DecidedTo | null> {
  const { rows } = await connection.query<StateRow>(
    `select a.evaluated_to::float8 as "evaluatedTo", a.streaks,
       (select coalesce(json_agg(json_build_object('key', e.key, 'startedAt', e.started_at,
           'value', e.value::text, 'peakValue', e.peak_value::text)), '[]')
         from alert_events e where e.alert_id = a.alert_id and e.ended_at is null) as firing
     from alerts a where a.alert_id = $1 and a.superseded_at is null and a.enabled`,
    [alertId],
  );
  const [row] = rows;
  if (!row) return null;
  const { met = [], missed = [] } = row.streaks;
  return {
    evaluatedTo: row.evaluatedTo,
    state: {
      firing: new Map(row.firing.map((event) => [event.key, firingEvent(event)])),
      streaks: { met: new Map(met), missed: new Map(missed) },
    },
  };
}

const firingEvent = ({ key, startedAt, value, peakValue }: EventRow): AlertEvent => ({
  key,
  startedAt,
  endedAt: null,
  value: BigInt(value),
  peakValue: BigInt(peakValue),
});

/** Streaks in stored form, without empty maps. */
export const storedStreaks = ({ met, missed }: Streaks): StoredStreaks => ({
  ...(met.size > 0 && { met: [...met] }),
  ...(missed.size > 0 && { missed: [...missed] }),
});

/** What the evaluator reads every second, so it must be cheap. */
export type Watch = {
  /** Whether decisions cannot be stored: on a standby, or as a role that may only read. */
  readonly isReader: boolean;
  /** The database's clock, epoch seconds. */
  readonly now: EpochSeconds;
  /** Events that are firing. */
  readonly firing: number;
  /** Enabled rules whose events no sink is told of now. */
  readonly silenced: number;
  /**
   * Enabled rules, with the version of their context's data and its nonce: after a failover or a
   * restore that lost commits, a version may occur again.
   */
  readonly rules: readonly { readonly alertId: number; readonly version: string }[];
};

export async function selectWatch(connection: Connection): Promise<Watch> {
  const { rows } = await connection.query<Watch>(
    `select not ${MAY_KEEP} as "isReader",
       floor(extract(epoch from clock_timestamp()))::float8 as now,
       (select count(*)::int from alert_events where ended_at is null) as firing,
       (select count(*)::int from alerts where superseded_at is null and enabled
         and silenced_until > clock_timestamp()) as silenced,
       (select coalesce(json_agg(json_build_object('alertId', a.alert_id,
           'version', v.version || ' ' || v.nonce)
           order by a.alert_id), '[]')
         from alerts a join context_versions v using (context_id)
         where a.superseded_at is null and a.enabled) as rules`,
  );
  const [watch] = rows;
  if (!watch) throw new Error('a statement of one row gave none');
  return watch;
}

/** newestAt: the time of the first commit that brought the newest bucket. */
export type RuleDataTimes = DataTimes & {
  readonly alertId: number;
  readonly newestAt: EpochSeconds;
};

/**
 * Selects the times of each rule's data; rules without data are left out. What is ahead of the
 * database's clock counts only where all data are ahead, and what was ahead when it was committed
 * is never a sign that data arrive.
 */
export async function selectDataTimes(
  connection: Connection,
  alertIds: readonly number[],
): Promise<RuleDataTimes[]> {
  const { rows } = await connection.query<RuleDataTimes>(
    `select a.alert_id as "alertId", min(v.first_bucket)::float8 as first,
       (coalesce(max(newest.bucket), max(v.last_bucket)) + min(g.bucket_size))::float8 as end,
       coalesce(max(newest.bucket) < max(v.last_bucket), false) as "isAhead",
       floor(extract(epoch from max(v.committed_at)))::float8 as "committedAt",
       floor(extract(epoch from (array_agg(v.newest_at order by v.present_bucket desc nulls last,
         v.last_bucket desc, v.newest_at))[1]))::float8 as "newestAt"
     from alerts a join counter_groups g using (group_id) join coverage v using (group_id)
       join slices s using (slice_id) left join probes p on p.probe_id = v.probe_id
       cross join lateral (select ${newestBucketBy(PRESENT_UNTIL)} as bucket) newest
     where a.alert_id = any($1::int[]) and not s.archived and (a.probe is null or p.name = a.probe)
     group by a.alert_id`,
    [alertIds],
  );
  return rows;
}

/** SQL: the latest bucket of a group `g` that is not ahead of the database's clock. */
export const PRESENT_UNTIL =
  'floor(extract(epoch from clock_timestamp()))::bigint + g.topper_bucket_size';

/** Selects the firing events of a context, in the order in which they began. */
export async function selectEventsToDecide(
  connection: Connection,
  contextId: number,
): Promise<NotifiedEvent[]> {
  const { rows } = await connection.query<NotifiedEvent>(SELECT_FIRING_EVENTS, [contextId, true]);
  return rows;
}

/** Selects the same without those that began in a silence of their rule and still are in it. */
export async function selectEventsToTell(
  connection: Connection,
  contextId: number,
): Promise<NotifiedEvent[]> {
  const { rows } = await connection.query<NotifiedEvent>(SELECT_FIRING_EVENTS, [contextId, false]);
  return rows;
}

const SELECT_FIRING_EVENTS = `
select ${NOTIFIED_COLUMNS}
from alert_events e ${NOTIFIED_TABLES}
where e.context_id = $1 and e.ended_at is null and ($2 or not e.is_held)
order by e.started_at, e.key nulls last, e.event_id`;

/**
 * Takes the lock for numbering the changes of a context. Each transaction that may insert changes
 * calls this before it locks rows of alerts: a transaction may change several rules, and one that
 * waits for a rule must not hold the counter.
 */
export const lockChanges = async (connection: Connection, contextId: number): Promise<void> => {
  await connection.query('select pg_advisory_xact_lock($1, $2)', [ALERT_CHANGE_LOCK, contextId]);
};

/** Inserts changes of a context's events, numbered in this order. Listeners are notified. */
export async function insertChanges(
  connection: Connection,
  contextId: number,
  changes: readonly { readonly eventId: string; readonly change: AlertChange | 'acknowledged' }[],
): Promise<void> {
  if (changes.length === 0) return;
  await connection.query(INSERT_CHANGES, [
    contextId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
  ]);
  await notifyOfChanges(connection, contextId);
}

/** Wakes servers with subscribers when this transaction commits. */
const notifyOfChanges = (connection: Connection, contextId: number) =>
  connection.query("select pg_notify('countergraph_alerts', $1::int::text)", [contextId]);

const INSERT_CHANGES = `
with counter as (
  insert into alert_change_counters as known (context_id, last, nonce, nonce_before)
  values ($1, cardinality($2::uuid[]), draw_nonce(), 0)
  on conflict (context_id) do update
  set last = known.last + excluded.last, nonce = excluded.nonce, nonce_before = known.nonce
  returning last, nonce, nonce_before
)
insert into alert_changes (context_id, number, nonce, nonce_before, event_id, change)
select $1, counter.last - cardinality($2::uuid[]) + c.place, counter.nonce, counter.nonce_before,
  c.event_id, c.change
from counter, unnest($2::uuid[], $3::text[]) with ordinality as c (event_id, change, place)`;

/** Ids of events of a context that began or ended in this transaction. */
type EventChanges = { readonly began: readonly string[]; readonly ended: readonly string[] };

/**
 * Inserts deliveries for all sinks of the context. Ends are only delivered to sinks that have the
 * delivery of the beginning, and to Alertmanagers, because a new one is also sent the firing
 * events. An end is due no earlier than its beginning. Neither is delivered of events that are held
 * back by a silence.
 */
export async function insertDeliveries(
  connection: Connection,
  contextId: number,
  { began, ended }: EventChanges,
): Promise<void> {
  if (began.length === 0 && ended.length === 0) return;
  await connection.query(
    `with new_ones as (
       insert into alert_deliveries (event_id, sink_id, change)
       select e.event_id, s.sink_id, 'began'
       from alert_events e, alert_sinks s
       where s.context_id = $1 and e.event_id = any($2::uuid[]) and not e.is_held
       returning event_id, sink_id
     )
     insert into alert_deliveries (event_id, sink_id, change, due_at)
     select e.event_id, s.sink_id, 'ended', greatest(now(), (
       select d.due_at from alert_deliveries d
       where (d.event_id, d.sink_id, d.change) = (e.event_id, s.sink_id, 'began')
         and d.delivered_at is null and d.given_up_at is null))
     from alert_events e, alert_sinks s
     where s.context_id = $1 and e.event_id = any($3::uuid[]) and not e.is_held and (s.kind = 'alertmanager'
       or exists (select from new_ones n where (n.event_id, n.sink_id) = (e.event_id, s.sink_id))
       or exists (select from alert_deliveries d
         where (d.event_id, d.sink_id, d.change) = (e.event_id, s.sink_id, 'began')))`,
    [contextId, began, ended],
  );
}

/**
 * Delivers the beginnings of events whose silence is over while they are still firing, to all sinks
 * that there are now. A decision that ends one of them comes first, so that nothing is delivered,
 * or delivers its end, too.
 */
export async function releaseHeldEvents(connection: Connection): Promise<void> {
  await connection.query(
    `with released as (
       update alert_events e set is_held = false
       from alerts a
       where e.is_held and e.ended_at is null and a.alert_id = e.alert_id
         and (a.silenced_until is null or a.silenced_until <= clock_timestamp())
       returning e.event_id, e.context_id
     )
     insert into alert_deliveries (event_id, sink_id, change)
     select r.event_id, s.sink_id, 'began' from released r join alert_sinks s using (context_id)
     on conflict do nothing`,
  );
}

/**
 * Tries to take the lock of the server that decides alerts, for as long as the connection lasts.
 */
export async function tryLockDecisions(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, 0) as locked',
    [ALERT_DECISION_LOCK],
  );
  return rows[0]?.locked ?? false;
}
