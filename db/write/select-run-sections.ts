import type { Connection } from './connection.ts';
import type { RunTable } from './packed-runs.ts';

/** Of which probes and shards there are runs. */
export type RunSection = { probeId: number; shard: number };

export type RunScope = {
  readonly table: RunTable;
  readonly groupId: number;
  readonly level: number;
  readonly sliceId: number;
};

/** Those with a run that meets starts from `from` to before `to`; none begins before `least`. */
export async function selectRunSections(
  connection: Connection,
  { table, groupId, level, sliceId }: RunScope,
  { least, from, to }: { readonly least: number; readonly from: number; readonly to: number },
): Promise<RunSection[]> {
  const { rows } = await connection.query<RunSection>(
    `select distinct probe_id as "probeId", shard from ${table}
     where group_id = $1 and level = $2 and slice_id = $3
       and start >= $4 and start < $6 and last >= $5
     order by 1, 2`,
    [groupId, level, sliceId, least, from, to],
  );
  return rows;
}
