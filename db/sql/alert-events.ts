import type { AlertChange } from '../../domain/alerts/event-changes.ts';
import type { AlertCondition, Silence } from '../../domain/alerts/rule.ts';
import type { KeyFilter } from '../../domain/filters/key-filter.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { ReadSession } from '../session/read-session.ts';
import { SILENCE } from './alert-rules.ts';

/** A revision of a rule as callers see it. */
export type AlertRow = {
  readonly contextId: number;
  readonly alertId: number;
  /** A UUID. */
  readonly revision: string;
  readonly name: string;
  readonly severity: string;
  readonly description: string | null;
  readonly groupId: number;
  readonly meterId: number;
  readonly windowSeconds: number;
  readonly condition: AlertCondition;
  readonly threshold: number;
  /** The name of a probe, which may not exist yet; null: all readings. */
  readonly probe: string | null;
  /** null: all keys. */
  readonly filter: KeyFilter | null;
  readonly forWindows: number;
  readonly clearWindows: number;
  readonly maxKeys: number;
  readonly enabled: boolean;
  /** The name of the user who made it in the page; null: it was declared. */
  readonly madeBy: string | null;
  /** null: sinks are told of its events. */
  readonly silence: Silence | null;
  /** The end of the last decided window; null: none was decided. */
  readonly evaluatedTo: EpochSeconds | null;
};

/** The columns of an AlertRow. Rules of disabled groups are hidden, like the groups themselves. */
const ALERT_COLUMNS = `
select a.context_id as "contextId", a.alert_id as "alertId", a.revision, a.name, a.severity,
  a.description, a.group_id as "groupId", a.meter_id as "meterId",
  a.window_seconds as "windowSeconds", a.condition, a.threshold::float8 as threshold, a.probe,
  a.filter, a.for_windows as "forWindows", a.clear_windows as "clearWindows",
  a.max_keys as "maxKeys", a.enabled, a.made_by as "madeBy", ${SILENCE} as silence,
  a.evaluated_to::float8 as "evaluatedTo"
from alerts a join counter_groups g on g.group_id = a.group_id and g.enabled`;

/** An event of an alert as callers see it. */
export type EventRow = {
  readonly contextId: number;
  /** A UUID. */
  readonly eventId: string;
  readonly alertId: number;
  /** The revision of the rule that began the event. */
  readonly revision: string;
  readonly groupId: number;
  /** In raw form; null: the event is about the whole group. */
  readonly key: string | null;
  readonly startedAt: EpochSeconds;
  /** null: it is firing. */
  readonly endedAt: EpochSeconds | null;
  /** Integers of any size. */
  readonly value: string;
  readonly peakValue: string;
  /** null: nobody looks after it yet. */
  readonly acknowledged: Acknowledgement | null;
  /** Of the rule. */
  readonly condition: AlertCondition;
  readonly probe: string | null;
};

/** Who looks after an event, since when, and what they say about it. */
export type Acknowledgement = {
  readonly at: EpochSeconds;
  readonly by: string;
  readonly note: string | null;
};

/** The columns of an EventRow, from events `e` and the tables that EVENT_TABLES joins. */
const EVENT_COLUMNS = `
e.context_id as "contextId", e.event_id as "eventId", e.alert_id as "alertId", a.revision,
  a.condition, a.probe, a.group_id as "groupId", e.key, e.started_at::float8 as "startedAt",
  e.ended_at::float8 as "endedAt", trunc(e.value)::text as value,
  trunc(e.peak_value)::text as "peakValue", case when e.acknowledged_at is not null then
    json_build_object('at', floor(extract(epoch from e.acknowledged_at)),
      'by', e.acknowledged_by, 'note', e.note) end as acknowledged`;

/** Events of disabled groups are hidden, like the groups themselves. */
const EVENT_TABLES = `
join alerts a on a.alert_id = e.alert_id
join counter_groups g on g.group_id = a.group_id and g.enabled`;

/** Selects the rules of contexts, by name, including disabled ones but no superseded revisions. */
export const selectAlerts = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<AlertRow[]> =>
  session.read({
    query: 'select-alerts',
    name: 'alerts',
    text: `${ALERT_COLUMNS}
where a.context_id = any($1::int[]) and a.superseded_at is null
order by a.context_id, a.name`,
    values: [contextIds],
  });

/**
 * Selects rules by the UUIDs of their revisions. A superseded revision exists as long as it has
 * events.
 */
export const selectRevisions = (
  session: Pick<ReadSession, 'read'>,
  revisions: readonly string[],
): Promise<AlertRow[]> =>
  session.read({
    query: 'select-alert-revisions',
    name: 'alert revisions',
    text: `${ALERT_COLUMNS}
where a.revision = any($1::uuid[])`,
    values: [revisions],
  });

/** Selects events by their UUIDs. */
export const selectEvents = (
  session: Pick<ReadSession, 'read'>,
  eventIds: readonly string[],
): Promise<EventRow[]> =>
  session.read({
    query: 'select-alert-events',
    name: 'alert events',
    text: `
select ${EVENT_COLUMNS}
from alert_events e ${EVENT_TABLES}
where e.event_id = any($1::uuid[])`,
    values: [eventIds],
  });

/** The position of an event among all events of its context: newest first, then by id. */
export type EventCursor = { readonly startedAt: EpochSeconds; readonly eventId: string };

export type EventPage = {
  readonly contextId: number;
  /** Only events of the rules of this name; null: of all rules. */
  readonly alert: string | null;
  /** null: from the newest on. */
  readonly after: EventCursor | null;
  readonly limit: number;
};

/** page: the index of the page that the event is on, from 0. */
type PagedEventRow = EventRow & { readonly page: number };

/** Selects the events of all pages, newest first. One statement. */
export const selectEventPages = (
  session: Pick<ReadSession, 'read'>,
  pages: readonly EventPage[],
): Promise<PagedEventRow[]> =>
  session.read({
    query: 'select-event-pages',
    name: 'event pages',
    text: SELECT_EVENT_PAGES,
    values: [
      pages.map(({ contextId }) => contextId),
      pages.map(({ alert }) => alert),
      pages.map(({ after }) => after?.startedAt ?? LATEST),
      pages.map(({ after }) => after?.eventId ?? LEAST_UUID),
      pages.map(({ limit }) => limit),
    ],
  });

/**
 * Later than any time that may be requested, so that a page from the newest event on is like any
 * other.
 */
const LATEST = Number.MAX_SAFE_INTEGER;
const LEAST_UUID = '00000000-0000-0000-0000-000000000000';

// `started_at <=` lets PostgreSQL use the index; the rest decides among events of the same second.
const PAGE = `
    e.started_at <= p.started_at
    and (e.started_at < p.started_at or e.event_id > p.event_id)
  order by e.started_at desc, e.event_id
  limit p.most`;

// Events have an index by rule, for rules with few events among many: one scan per revision.
const SELECT_EVENT_PAGES = `
select p.page::int - 1 as page, ${EVENT_COLUMNS}
from unnest($1::int[], $2::text[], $3::bigint[], $4::uuid[], $5::int[]) with ordinality
  as p (context_id, alert, started_at, event_id, most, page)
cross join lateral (
  (select e.event_id from alert_events e ${EVENT_TABLES}
  where p.alert is null and e.context_id = p.context_id and ${PAGE})
  union all
  (select of_revision.event_id
  from alerts named cross join lateral (
    select e.event_id, e.started_at from alert_events e ${EVENT_TABLES}
    where e.alert_id = named.alert_id and ${PAGE}
  ) of_revision
  where named.context_id = p.context_id and named.name = p.alert
  order by of_revision.started_at desc, of_revision.event_id
  limit p.most)
) found
join alert_events e on e.event_id = found.event_id ${EVENT_TABLES}
order by p.page, e.started_at desc, e.event_id`;

/** Selects the firing events of rules, in the order in which they began. */
export const selectFiringEvents = (
  session: Pick<ReadSession, 'read'>,
  alertIds: readonly number[],
): Promise<EventRow[]> =>
  session.read({
    query: 'select-firing-events',
    name: 'firing events',
    text: `
select ${EVENT_COLUMNS}
from alert_events e ${EVENT_TABLES}
where e.alert_id = any($1::int[]) and e.ended_at is null
order by e.started_at, e.key`,
    values: [alertIds],
  });

export type ChangeRow = EventRow & ChangeCursor & { readonly change: AlertChange | 'acknowledged' };

export type ChangesAfter = {
  readonly contextId: number;
  readonly after: number;
  readonly limit: number;
};

/**
 * Selects the first changes of a context's alerts after a given one, in order, with the current
 * state of their events. Changes of disabled groups are included, so that the cursor gets past
 * them.
 */
export const selectChanges = (
  session: Pick<ReadSession, 'read'>,
  { contextId, after, limit }: ChangesAfter,
): Promise<ChangeRow[]> =>
  session.read({
    query: 'select-alert-changes',
    name: 'alert changes',
    text: `
select c.number::float8 as number, c.nonce::text, c.change, ${EVENT_COLUMNS}
from (
  select number, nonce, change, event_id from alert_changes
  where context_id = $1 and number > $2::bigint order by number limit $3
) c
join alert_events e on e.event_id = c.event_id
join alerts a on a.alert_id = e.alert_id
order by c.number`,
    values: [contextId, after, limit],
  });

/** The position of a change of a context's alerts, as in a subscriber's cursor. */
export type ChangeCursor = {
  readonly number: number;
  /** An integer as text. It shows whether the number still belongs to the same change. */
  readonly nonce: string;
};

/** The newest change; number 0: there was none. */
export type ChangeCounter = ChangeCursor & {
  /** Whether a change follows the one asked about. */
  readonly hasNext: boolean;
};

/** Selects the position of the newest change of a context's alerts. One statement. */
export async function selectChangeCounter(
  session: Pick<ReadSession, 'read'>,
  contextId: number,
  { number, nonce }: ChangeCursor,
): Promise<ChangeCounter> {
  const [counter] = await session.read<ChangeCounter>({
    query: 'select-change-counter',
    name: 'change counter',
    text: `
select last::float8 as number, nonce::text, exists (
  select from alert_changes c
  where c.context_id = $1 and c.number = $2::bigint + 1
    and $3::bigint in (c.nonce, c.nonce_before)) as "hasNext"
from alert_change_counters where context_id = $1`,
    values: [contextId, number, nonce],
  });
  return counter ?? { ...NO_CHANGE, hasNext: false };
}

export const NO_CHANGE: ChangeCursor = { number: 0, nonce: '0' };
