import type { Connection } from '../../connection/connection.ts';

export const updateContext = async (
  connection: Connection,
  context: { contextId: number; sliceSeconds: number; retentionDays: number | null },
): Promise<void> => {
  await connection.query(
    'update contexts set slice_seconds = $2, retention_days = $3 where context_id = $1',
    [context.contextId, context.sliceSeconds, context.retentionDays],
  );
};
