import type { Connection } from '../../connection/connection.ts';
import type { ContextProbe } from './select-probes.ts';

/** Creates the probe, or changes the one of that name. */
export const upsertProbe = async (
  connection: Connection,
  contextId: number,
  { name, description }: ContextProbe,
): Promise<void> => {
  await connection.query(
    `insert into probes (context_id, name, description) values ($1, $2, $3)
     on conflict (context_id, name) do update set description = excluded.description`,
    [contextId, name, description],
  );
};
