import { conditionText } from '../../domain/alerts/condition-text.ts';
import { isUuid } from '../../domain/text/uuid.ts';
import type { ContextView } from '../contexts.ts';
import {
  type CounterGroupView,
  findGroupById,
  findMeter,
  type MeterView,
} from '../counter-groups.ts';
import type { AlertRow } from '../loaders/node-loaders.ts';

export type AlertView = {
  readonly at: ContextView;
  readonly row: AlertRow;
  readonly group: CounterGroupView;
  readonly meter: MeterView;
};

/** Returns the rules of the context, by name, without those about groups that are not enabled. */
export async function listAlerts(at: ContextView): Promise<AlertView[]> {
  const rows = await at.loaders.alerts.byContext.load(at.contextId);
  const views = await Promise.all(rows.map((row) => viewAlert(at, row)));
  return views.filter((view) => view !== null);
}

/** Returns the context's rule with this revision, which may be superseded; null if none. */
export async function findAlert(at: ContextView, revision: string): Promise<AlertView | null> {
  if (!isUuid(revision)) return null;
  const row = await at.loaders.alerts.byRevision.load(revision);
  // The id comes from the caller, and may be that of a revision of another context.
  return row?.contextId === at.contextId ? viewAlert(at, row) : null;
}

async function viewAlert(at: ContextView, row: AlertRow): Promise<AlertView | null> {
  const group = await findGroupById(at, row.groupId);
  const meter = group && findMeter(group, row.meterId);
  return meter && { at, row, group, meter };
}

/** Returns the condition in words: `a key above 1000000000`. */
export const conditionOf = ({ row }: AlertView): string => conditionText(row);
