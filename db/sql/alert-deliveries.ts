import type { AlertChange } from '../../domain/alerts/event-changes.ts';
import type { AlertCondition } from '../../domain/alerts/rule.ts';
import type { KeyKind } from '../../domain/keys/key-kind.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { NOTIFICATION_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';
import { MAY_KEEP } from './server-state.ts';

/** The group that a part of a cross-key is a key of. */
type PartGroup = { readonly groupId: number; readonly keyKind: KeyKind };

/** An event with everything that a notification says about it, except the key's label. */
export type NotifiedEvent = {
  readonly eventId: string;
  readonly context: string;
  readonly alert: string;
  readonly severity: string;
  readonly description: string | null;
  readonly condition: AlertCondition;
  readonly threshold: number;
  /** In raw form; null: the event is about the whole group. */
  readonly key: string | null;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** null: it is firing. */
  readonly endedAt: number | null;
  /** An integer of any size. */
  readonly value: string;
  readonly peakValue: string;
  /** The group that its keys are keys of. */
  readonly keysGroupId: number;
  readonly groupGuid: string;
  readonly groupName: string;
  readonly keyKind: KeyKind;
  /** The groups of a cross-key group's parts, in order; null: the group of that part is gone. */
  readonly parts: readonly (PartGroup | null)[];
  readonly meter: number;
  readonly meterName: string;
};

/** The columns of a NotifiedEvent, from the tables that `NOTIFIED_TABLES` joins to events `e`. */
export const NOTIFIED_COLUMNS = `
  e.event_id as "eventId", c.name as context, a.name as alert, a.severity, a.description,
  a.condition, a.threshold::float8 as threshold, e.key, e.started_at::float8 as "startedAt",
  e.ended_at::float8 as "endedAt", trunc(e.value)::text as value,
  trunc(e.peak_value)::text as "peakValue", coalesce(g.keys_of, g.group_id) as "keysGroupId",
  g.guid as "groupGuid", g.name as "groupName", g.key_kind as "keyKind", m.meter_id as meter,
  m.name as "meterName", coalesce((
    select json_agg(case when p.group_id is not null
        then json_build_object('groupId', coalesce(p.keys_of, p.group_id), 'keyKind', p.key_kind)
      end order by part.place)
    from crosskeys x
    cross join lateral unnest(array[x.parent_guid, x.crosskey_guid_1, x.crosskey_guid_2])
      with ordinality as part (guid, place)
    left join counter_groups p on p.context_id = g.context_id and p.guid = part.guid
    where x.group_id = g.group_id and part.guid is not null), '[]') as parts`;

export const NOTIFIED_TABLES = `
join alerts a using (alert_id)
join contexts c on c.context_id = e.context_id
join counter_groups g on g.group_id = a.group_id
join meters m on m.group_id = a.group_id and m.meter_id = a.meter_id`;

/** A change of an event to be delivered to a sink. */
export type DueDelivery = {
  readonly sinkId: number;
  readonly change: AlertChange;
  readonly event: NotifiedEvent;
};

/** The maximum number of deliveries to select for a sink. */
export type Wanted = { readonly sinkId: number; readonly most: number };

/**
 * Selects the deliveries that are due to these sinks, the longest due first. The end of an event is
 * not due before its beginning was delivered or given up.
 */
export async function selectDueDeliveries(
  connection: Connection,
  wanted: readonly Wanted[],
): Promise<DueDelivery[]> {
  const { rows } = await connection.query<NotifiedEvent & Omit<DueDelivery, 'event'>>(
    SELECT_DUE_DELIVERIES,
    [
      wanted.map(({ sinkId }) => sinkId),
      wanted.map(({ most }) => most),
      Math.max(0, ...wanted.map(({ most }) => most)),
    ],
  );
  return rows.map(({ sinkId, change, ...event }) => ({ sinkId, change, event }));
}

// Reads the index `alert_deliveries_due` in its order. An end is due no earlier than its beginning,
// so at most as many ends are skipped as deliveries are selected. The inner limit tells the planner
// how few rows are read: it would expect a tenth of the backlog for the limit of each sink. The
// beginning is looked up for each end: `not exists` could be planned as a hash of all beginnings.
const SELECT_DUE_DELIVERIES = `
select w.sink_id as "sinkId", d.change, ${NOTIFIED_COLUMNS}
from unnest($1::int[], $2::int[]) as w (sink_id, most)
cross join lateral (
  select d.event_id, d.change, d.due_at from (
    select d.event_id, d.change, d.due_at from alert_deliveries d
    where d.sink_id = w.sink_id and d.delivered_at is null and d.given_up_at is null
      and d.due_at <= now() and (d.change = 'began' or (
        select b.delivered_at is not null or b.given_up_at is not null from alert_deliveries b
        where b.event_id = d.event_id and b.sink_id = d.sink_id and b.change = 'began'
      ) is not false)
    order by d.due_at, d.event_id, d.change
    limit $3
  ) d
  order by d.due_at, d.event_id, d.change
  limit w.most
) d
join alert_events e on e.event_id = d.event_id ${NOTIFIED_TABLES}
order by d.due_at, e.started_at, d.event_id`;

/** Changes of events that were sent to a sink, successfully or not. */
export type ReportedChanges = {
  readonly sinkId: number;
  readonly changes: readonly { readonly eventId: string; readonly change: AlertChange }[];
};

/** reason: why, without an address or a secret. */
type FailedChanges = ReportedChanges & { readonly reason: string };

/**
 * Marks changes as delivered; returns how many of them were still waiting. The ends of events whose
 * beginnings were delivered are due now.
 */
export async function updateDelivered(
  connection: Connection,
  { sinkId, changes }: ReportedChanges,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(UPDATE_DELIVERED, [
    sinkId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
  ]);
  return rows[0]?.count ?? 0;
}

const UPDATE_DELIVERED = `
with delivered as (
  update alert_deliveries d set delivered_at = now(), attempts = attempts + 1
  from unnest($2::uuid[], $3::text[]) as sent (event_id, change)
  where d.sink_id = $1 and d.event_id = sent.event_id and d.change = sent.change
    and d.delivered_at is null and d.given_up_at is null
  returning d.event_id, d.change
), now_due as (
  update alert_deliveries e set due_at = now() from delivered b
  where e.sink_id = $1 and e.event_id = b.event_id and e.change = 'ended' and b.change = 'began'
    and e.delivered_at is null and e.given_up_at is null and e.due_at > now()
), noted as (
  update alert_sinks set delivered_at = now() where sink_id = $1
)
select count(*)::int as count from delivered`;

export type Retries = {
  /** The pause after the first failure; each is twice as long as the one before. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** How long after a change its delivery is retried. */
  readonly giveUpMs: number;
};

/**
 * Notes that a delivery failed. Returns for each change whether it will be retried or was given up.
 * The end of an event is postponed with its beginning: if the ends of a backlog were due before the
 * beginnings that they wait for, each look for what is due would skip all of them.
 */
export async function updateFailed(
  connection: Connection,
  { sinkId, changes, reason }: FailedChanges,
  { firstMs, longestMs, giveUpMs }: Retries,
): Promise<('retried' | 'given up')[]> {
  const { rows } = await connection.query<{ givenUp: boolean }>(UPDATE_FAILED, [
    sinkId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
    firstMs,
    longestMs,
    giveUpMs,
    reason,
  ]);
  return rows.map(({ givenUp }) => (givenUp ? 'given up' : 'retried'));
}

// The exponent is bounded: 2 to the number of a day's attempts would overflow.
const UPDATE_FAILED = `
with failed as (
  update alert_deliveries d set attempts = attempts + 1,
    due_at = now()
      + interval '1 ms' * least($5::float8, $4::float8 * 2::float8 ^ least(attempts, 30)),
    given_up_at = case when now() >= created_at + interval '1 ms' * $6::float8 then now() end
  from unnest($2::uuid[], $3::text[]) as failed (event_id, change)
  where d.sink_id = $1 and d.event_id = failed.event_id and d.change = failed.change
    and d.delivered_at is null and d.given_up_at is null
  returning d.event_id, d.change, d.due_at, d.given_up_at
), postponed as (
  update alert_deliveries e set due_at = b.due_at from failed b
  where e.sink_id = $1 and e.event_id = b.event_id and e.change = 'ended' and b.change = 'began'
    and e.delivered_at is null and e.given_up_at is null
    and b.given_up_at is null and e.due_at < b.due_at
), noted as (
  update alert_sinks set failed_at = now(), failure = $7 where sink_id = $1
)
select given_up_at is not null as "givenUp" from failed`;

/** How many deliveries wait for the sinks of a kind. */
export type WaitingDeliveries = { readonly kind: SinkKind; readonly waiting: number };

/** Counts the waiting deliveries by kind of sink, at most so many of each sink. */
export async function countWaitingDeliveries(
  connection: Connection,
  atMost: number,
): Promise<WaitingDeliveries[]> {
  const { rows } = await connection.query<WaitingDeliveries>(
    `
select s.kind, sum(w.count)::int as waiting
from alert_sinks s
cross join lateral (
  select count(*) from (
    select from alert_deliveries d
    where d.sink_id = s.sink_id and d.delivered_at is null and d.given_up_at is null
    limit $1
  ) counted
) w
where w.count > 0
group by s.kind`,
    [atMost],
  );
  return rows;
}

export type SinkKind = 'webhook' | 'alertmanager';

/** A sink of any context, with what is needed to send to it. */
export type NotifiedSink = {
  readonly sinkId: number;
  readonly contextId: number;
  readonly context: string;
  readonly name: string;
  readonly kind: SinkKind;
  /** Its address, or the variable that holds it. */
  readonly url: string | null;
  readonly urlEnv: string | null;
  /** The variable that holds the secret to sign with; null: nothing is signed. */
  readonly secretEnv: string | null;
};

/** A sink as callers see it. */
export type SinkRow = {
  readonly contextId: number;
  readonly name: string;
  readonly kind: SinkKind;
  /** Its address, or the variable that holds it. */
  readonly url: string | null;
  readonly urlEnv: string | null;
  readonly isSigned: boolean;
  /** null: nothing was delivered to it yet. */
  readonly deliveredAt: EpochSeconds | null;
  /** The last failure since then; null: there was none. */
  readonly failure: string | null;
};

/** Selects the sinks of contexts, by name. */
export const selectContextSinks = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<SinkRow[]> =>
  session.read({
    query: 'select-context-sinks',
    name: 'alert sinks',
    text: `
select context_id as "contextId", name, kind, url, url_env as "urlEnv",
  secret_env is not null as "isSigned",
  floor(extract(epoch from delivered_at))::float8 as "deliveredAt",
  case when delivered_at is null or failed_at > delivered_at then failure end as failure
from alert_sinks
where context_id = any($1::int[])
order by context_id, name`,
    values: [contextIds],
  });

export async function selectNotifiedSinks(connection: Connection): Promise<NotifiedSink[]> {
  const { rows } = await connection.query<NotifiedSink>(`
select s.sink_id as "sinkId", s.context_id as "contextId", c.name as context, s.name, s.kind,
  s.url, s.url_env as "urlEnv", s.secret_env as "secretEnv"
from alert_sinks s
join contexts c using (context_id)
order by s.sink_id`);
  return rows;
}

/**
 * Tries to take the lock of the server that notifies sinks, for as long as the connection lasts.
 */
export async function tryLockNotifications(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    `select ${MAY_KEEP} and pg_try_advisory_lock($1, 0) as locked`,
    [NOTIFICATION_LOCK],
  );
  return rows[0]?.locked ?? false;
}
