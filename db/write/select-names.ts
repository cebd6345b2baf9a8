import type { Connection } from '../connection/connection.ts';

/** Selects the names of a context's probes by id. */
export async function selectProbeNames(
  connection: Connection,
  contextId: number,
): Promise<Map<number, string>> {
  const { rows } = await connection.query<{ probeId: number; name: string }>(
    'select probe_id as "probeId", name from probes where context_id = $1',
    [contextId],
  );
  return new Map(rows.map(({ probeId, name }) => [probeId, name]));
}
