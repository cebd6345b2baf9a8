import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isUuid } from '../../domain/text/uuid.ts';
import type { ContextView } from '../contexts.ts';
import { type CounterGroupView, findGroupById } from '../counter-groups.ts';
import { type KeyView, viewKeys } from '../keys.ts';
import type { EventCursor, EventRow } from '../loaders/node-loaders.ts';
import { type AlertView, findAlert } from './alerts.ts';

export type AlertEventView = {
  readonly at: ContextView;
  readonly row: EventRow;
  readonly group: CounterGroupView;
};

export type AlertEventPage = {
  readonly at: ContextView;
  readonly events: readonly AlertEventView[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
};

type AlertEventSelection = {
  /** Only events of the rules that have or had this name; null: all events. */
  readonly alert: string | null;
  readonly first: number;
  readonly after: string | null;
};

/** Returns the context's events, newest first. Errors: `first` out of range, an invalid cursor. */
export async function listAlertEvents(
  at: ContextView,
  { alert, first, after }: AlertEventSelection,
): Promise<AlertEventPage> {
  if (first < 0 || first > LIMITS.alertEventsPage) {
    throw malformed('first', `an integer from 0 to ${LIMITS.alertEventsPage}`, first);
  }
  const cursor = after === null ? null : decodeEventCursor(after);
  // PostgreSQL text cannot contain NUL, so no rule has such a name.
  const isNobody = alert?.includes('\0') ?? false;
  const rows = isNobody
    ? []
    : await at.loaders.alerts.eventPage.load({
        contextId: at.contextId,
        alert,
        after: cursor,
        limit: first + 1,
      });
  return {
    at,
    events: await viewEvents(at, rows.slice(0, first)),
    hasNextPage: rows.length > first,
    hasPreviousPage: cursor !== null,
  };
}

/** Returns the firing events of a rule, in the order in which they began. */
export async function firingEvents({ at, row }: AlertView): Promise<AlertEventView[]> {
  return viewEvents(at, await at.loaders.alerts.firing.load(row.alertId));
}

export async function findAlertEvent(
  at: ContextView,
  eventId: string,
): Promise<AlertEventView | null> {
  if (!isUuid(eventId)) return null;
  const row = await at.loaders.alerts.event.load(eventId);
  // The id comes from the caller, and may be that of an event of another context.
  if (row?.contextId !== at.contextId) return null;
  return viewEvent(at, row);
}

async function viewEvents(at: ContextView, rows: readonly EventRow[]): Promise<AlertEventView[]> {
  const views = await Promise.all(rows.map((row) => viewEvent(at, row)));
  return views.filter((view) => view !== null);
}

/** Returns null if the event's group is not enabled. */
export async function viewEvent(at: ContextView, row: EventRow): Promise<AlertEventView | null> {
  const group = await findGroupById(at, row.groupId);
  return group && { at, row, group };
}

/** Returns the rule as it was when the event began. */
export async function alertOf({ at, row }: AlertEventView): Promise<AlertView> {
  const alert = await findAlert(at, row.revision);
  if (!alert) throw new Error('an event without its alert');
  return alert;
}

/** Returns the event's key, even if its data no longer exist; null if the event has no key. */
export async function keyOf({ group, row }: AlertEventView): Promise<KeyView | null> {
  if (row.key === null) return null;
  const [view] = await viewKeys(group, [row.key], null);
  return view ?? null;
}

const CURSOR = 'event:';

export const encodeEventCursor = ({ row }: AlertEventView): string =>
  Buffer.from(`${CURSOR}${row.startedAt}:${row.eventId}`).toString('base64url');

function decodeEventCursor(cursor: string): EventCursor {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, seconds = '', eventId = ''] = /^event:(\d{1,15}):(.*)$/s.exec(text) ?? [];
  const isOurs = isUuid(eventId) && Buffer.from(text).toString('base64url') === cursor;
  if (!isOurs) throw malformed('after', 'the cursor of an edge', cursor);
  return { startedAt: Number(seconds), eventId };
}
