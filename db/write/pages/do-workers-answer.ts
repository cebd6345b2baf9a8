import type { Connection } from '../../connection/connection.ts';

/**
 * Returns whether all Citus workers that have shards answer, including those being drained. One
 * that hangs keeps the statement waiting until its time limit.
 */
export async function doWorkersAnswer(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ answer: boolean }>(
    `select coalesce(bool_and(citus_check_connection_to_node(nodename, nodeport)), true) as answer
     from pg_dist_node
     where isactive and noderole = 'primary' and groupid in (select groupid from pg_dist_placement)`,
  );
  return rows[0]?.answer === true;
}
