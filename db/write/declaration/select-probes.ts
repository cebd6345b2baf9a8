import type { Connection } from '../../connection/connection.ts';

export type ContextProbe = { name: string; description: string | null };

export async function selectProbes(
  connection: Connection,
  contextId: number,
): Promise<ContextProbe[]> {
  const { rows } = await connection.query<ContextProbe>(
    'select name, description from probes where context_id = $1',
    [contextId],
  );
  return rows;
}
