import { conditionText } from '../../domain/alerts/condition-text.ts';
import type { AlertCondition } from '../../domain/alerts/rule.ts';
import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ContextView } from '../contexts.ts';
import {
  type CounterGroupView,
  findGroupById,
  findMeter,
  type MeterView,
} from '../counter-groups.ts';
import { type KeyView, viewKeys } from '../keys.ts';
import {
  type AlertRow,
  type ChangeCursor,
  type ChangeRow,
  type EventCursor,
  type EventRow,
  NO_CHANGE,
} from '../loaders/node-loaders.ts';

export type AlertView = {
  readonly at: ContextView;
  readonly row: AlertRow;
  readonly group: CounterGroupView;
  readonly meter: MeterView;
};

/**
 * Returns the rules of the context, by name, without those about groups that are not enabled. A
 * caller who may not see all of the context sees rules by their events only.
 */
export const listAlerts = async (at: ContextView): Promise<AlertView[]> =>
  isLimited(at) ? [] : allAlerts(at);

const isLimited = ({ loaders, contextId }: ContextView): boolean => loaders.isLimited(contextId);

async function allAlerts(at: ContextView): Promise<AlertView[]> {
  const rows = await at.loaders.alerts.byContext.load(at.contextId);
  const views = await Promise.all(rows.map((row) => viewAlert(at, row)));
  return views.filter((view) => view !== null);
}

/** Returns the context's rule with this revision, which may be superseded; null if none. */
export async function findAlert(at: ContextView, revision: string): Promise<AlertView | null> {
  if (!isUuid(revision)) return null;
  const row = await at.loaders.alerts.byRevision.load(revision);
  // The id comes from the caller, and may be that of a revision of another context.
  return row?.contextId === at.contextId && (await seesRule(at, row)) ? viewAlert(at, row) : null;
}

/**
 * Who may not see all of a context knows the id of a rule from an event, and sees such rules as may
 * have events of keys that they see.
 */
const seesRule = async (at: ContextView, { condition, groupId, probe }: AlertRow) =>
  !isLimited(at) ||
  (OF_OWN_VALUE.has(condition) &&
    (await at.loaders.seesReading(at.contextId, { groupId, probe, key: null })));

/** What is told of a rule itself; null for whom it would tell of other keys, or of other people. */
export const wholeRule = ({ at, row }: AlertView): AlertRow | null => (isLimited(at) ? null : row);

/** Returns who looks after an event. Whoever is limited is told only their own name and note. */
export function acknowledgementOf(
  { at, row: { acknowledged } }: AlertEventView,
  username: string | undefined,
): { readonly by: string; readonly note: string | null } | null {
  const isSeen = !isLimited(at) || acknowledged?.by === username;
  return isSeen ? acknowledged : null;
}

async function viewAlert(at: ContextView, row: AlertRow): Promise<AlertView | null> {
  const group = await findGroupById(at, row.groupId);
  const meter = group && findMeter(group, row.meterId);
  return meter && { at, row, group, meter };
}

/** Returns the condition in words: `a key above 1000000000`. */
export const conditionOf = ({ row }: AlertView): string => conditionText(row);

export type { ChangeCursor } from '../loaders/node-loaders.ts';

/** Beginnings and ends of events in order, each with the event as it was then. */
type AlertChanges = {
  readonly kind: 'changes';
  readonly events: readonly AlertEventView[];
  /** The position of the last change. */
  readonly place: ChangeCursor;
  /** Whether more follow. */
  readonly hasMore: boolean;
};

/** missed: changes before or after the position were lost; behind: too many changes follow. */
type ChangesSince = AlertChanges | { readonly kind: 'missed' | 'behind' };

/** Returns the firing events, in the order in which they began: the first messages of a stream. */
export async function firingNow(at: ContextView): Promise<AlertChanges> {
  const place = await at.loaders.alerts.changeCounter(at.contextId, NO_CHANGE);
  const alerts = await allAlerts(at);
  const events = (await Promise.all(alerts.map(firingEvents))).flat();
  events.sort((a, b) => a.row.startedAt - b.row.startedAt);
  return { kind: 'changes', events, place, hasMore: false };
}

/** Returns the changes that follow a position. */
export async function changesSince(at: ContextView, since: ChangeCursor): Promise<ChangesSince> {
  const { alerts } = at.loaders;
  const counter = await alerts.changeCounter(at.contextId, since);
  const behind = counter.number - since.number;
  const isSame = behind === 0 && counter.nonce === since.nonce;
  if (isSame) return { kind: 'changes', events: [], place: since, hasMore: false };
  if (behind > LIMITS.alertChangesBehind) return { kind: 'behind' };
  if (!counter.hasNext) return { kind: 'missed' };
  const limit = LIMITS.alertChangesAtOnce;
  const rows = await alerts.changes({ contextId: at.contextId, after: since.number, limit });
  const last = rows.at(-1);
  const views = await Promise.all(rows.map((row) => viewEvent(at, asItWas(row))));
  const events = views.filter((event) => event !== null);
  // An event of a group that was disabled since is not shown, not even its end.
  if (events.length < views.length && !isLimited(at)) return { kind: 'missed' };
  return {
    kind: 'changes',
    events,
    place: last ? { number: last.number, nonce: last.nonce } : counter,
    hasMore: rows.length === limit,
  };
}

/** Returns the event as of the change: one that has ended since was firing when it began. */
const asItWas = (row: ChangeRow): ChangeRow =>
  row.change === 'began' ? { ...row, endedAt: null } : row;

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
  const events = isNobody ? [] : await eventsAfter(at, { alert, after: cursor, limit: first + 1 });
  return {
    at,
    events: events.slice(0, first),
    hasNextPage: events.length > first,
    hasPreviousPage: cursor !== null,
  };
}

type EventsAfter = {
  readonly alert: string | null;
  readonly after: EventCursor | null;
  readonly limit: number;
};

/** Returns the first events after a position; those that the caller may not see do not count. */
async function eventsAfter(
  at: ContextView,
  { alert, after, limit }: EventsAfter,
): Promise<AlertEventView[]> {
  const { contextId, loaders } = at;
  const events: AlertEventView[] = [];
  const atOnce = isLimited(at) ? LIMITS.alertEventsPage : limit;
  for (let place = after; ; ) {
    const page = { contextId, alert, after: place, limit: atOnce };
    const rows = await loaders.alerts.eventPage.load(page);
    events.push(...(await viewEvents(at, rows)));
    const last = rows.at(-1);
    if (!last || rows.length < atOnce || events.length >= limit) return events.slice(0, limit);
    place = last;
    await loaders.pause();
  }
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

/** Returns null if the event's group is not enabled, or the caller may not see the event. */
async function viewEvent(at: ContextView, row: EventRow): Promise<AlertEventView | null> {
  const group = await findGroupById(at, row.groupId);
  return group && (await seesEvent(at, row)) ? { at, row, group } : null;
}

/** Conditions that compare nothing but a key's own value. */
const OF_OWN_VALUE: ReadonlySet<AlertCondition> = new Set([
  'key_above',
  'key_grows_by',
  'key_new_above',
]);

/** Whoever may not see all of a context sees what was found about the keys that they see. */
async function seesEvent(at: ContextView, row: EventRow): Promise<boolean> {
  if (!isLimited(at)) return true;
  const { key, condition, groupId, probe } = row;
  if (key === null || !OF_OWN_VALUE.has(condition)) return false;
  return at.loaders.seesReading(at.contextId, { groupId, probe, key });
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

/** Whether a text is a UUID as PostgreSQL writes one: in lower case, with hyphens. */
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
