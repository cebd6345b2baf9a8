import { LIMITS } from '../../domain/limits.ts';
import type { ContextView } from '../contexts.ts';
import { type ChangeCursor, type ChangeRow, NO_CHANGE } from '../loaders/node-loaders.ts';
import { type AlertEventView, firingEvents, viewEvent } from './alert-events.ts';
import { listAlerts } from './alerts.ts';

export type { ChangeCursor } from '../loaders/node-loaders.ts';

/** Beginnings and ends of events in order, each with the event as it was then. */
export type AlertChanges = {
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
  const alerts = await listAlerts(at);
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
  if (events.length < views.length) return { kind: 'missed' };
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
