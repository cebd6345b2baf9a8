import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { ReadSession } from '../../session/read-session.ts';
import { EVENT_COLUMNS, EVENT_TABLES, type EventRow } from './event-row.ts';

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
export type PagedEventRow = EventRow & { readonly page: number };

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
