import type { Connection } from '../../connection/connection.ts';

export type ProbeRow = { probeId: number; name: string; created: boolean };

/** Returns the probes of these names, and creates those that the context does not have yet. */
export async function ensureProbes(
  connection: Connection,
  contextId: number,
  names: readonly string[],
): Promise<ProbeRow[]> {
  const { rows } = await connection.query<ProbeRow>(
    `with added as (
       insert into probes (context_id, name) select $1, unnest($2::text[])
       on conflict (context_id, name) do nothing
       returning probe_id, name
     )
     select probe_id as "probeId", name, true as created from added
     union all
     select probe_id, name, false from probes where context_id = $1 and name = any($2)`,
    [contextId, names],
  );
  return rows;
}
