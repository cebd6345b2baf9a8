import type { Connection } from '../../../connection/connection.ts';

/** Deletes superseded revisions of rules without events. */
export const deleteUnusedRevisions = async (
  connection: Connection,
  contextId: number,
): Promise<void> => {
  await connection.query(
    `delete from alerts a where a.context_id = $1 and a.superseded_at is not null
       and not exists (select from alert_events e where e.alert_id = a.alert_id)`,
    [contextId],
  );
};
