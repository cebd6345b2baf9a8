import type { ReadSession } from '../../session/read-session.ts';
import { ALERT_COLUMNS, type AlertRow } from './alert-row.ts';

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
