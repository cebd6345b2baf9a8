import type { Connection } from '../../connection/connection.ts';

/** Deletes a sink, with its waiting deliveries. */
export const deleteSink = async (
  connection: Connection,
  contextId: number,
  name: string,
): Promise<void> => {
  await connection.query('delete from alert_sinks where context_id = $1 and name = $2', [
    contextId,
    name,
  ]);
};
