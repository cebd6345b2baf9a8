import type { Connection } from '../../connection/connection.ts';

/** Notes that segments of a context that died by this layout number may have left the manifest. */
export const raiseSweptTo = (connection: Connection, contextId: number, layout: number) =>
  connection.query(
    'update context_versions set swept_to = greatest(swept_to, $2) where context_id = $1',
    [contextId, layout],
  );
