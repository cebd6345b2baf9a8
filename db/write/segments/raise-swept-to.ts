import type { Connection } from '../../connection/connection.ts';

/**
 * Records that segments of a context that died at this layout number or before may be gone from the
 * manifest.
 */
export const raiseSweptTo = (connection: Connection, contextId: number, layout: number) =>
  connection.query(
    'update context_versions set swept_to = greatest(swept_to, $2) where context_id = $1',
    [contextId, layout],
  );
