import type { Connection } from '../connection/connection.ts';
import { MAY_KEEP } from './select-upkeep.ts';

/** A context's numbers: the version of its data, and the layout of the data in segments. */
export type ContextNumbersRow = {
  contextId: number;
  name: string;
  version: number;
  layout: number;
  /** When the segment that has waited longest to be swept died, epoch seconds; null: none waits. */
  oldestDeath: number | null;
};

/** Selects the numbers of every context; none if this role cannot merge anything here. */
export async function selectContextNumbers(connection: Connection): Promise<ContextNumbersRow[]> {
  const { rows } = await connection.query<ContextNumbersRow>(
    `select context_id as "contextId", c.name, v.version::float8 as version,
       v.layout::float8 as layout,
       (select extract(epoch from min(died_at))::float8 from segments s
        where s.context_id = c.context_id and s.died is not null) as "oldestDeath"
     from contexts c join context_versions v using (context_id)
     where ${MAY_KEEP} order by context_id`,
  );
  return rows;
}
