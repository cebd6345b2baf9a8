import type { ReadSession } from '../../session/read-session.ts';
import { ALERT_COLUMNS, type AlertRow } from './alert-row.ts';

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
