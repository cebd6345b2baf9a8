import type { Connection } from '../../connection/connection.ts';

/** What a database reports about Citus. */
export type ClusterFacts = {
  /** Whether its files are on the machine. */
  readonly isAvailable: boolean;
  /** Whether it is an extension of this database. */
  readonly isInstalled: boolean;
  /** Whether the server loaded it when it started. */
  readonly isLoaded: boolean;
};

export async function selectClusterFacts(connection: Connection): Promise<ClusterFacts> {
  const { rows } = await connection.query<ClusterFacts>(
    `select exists (select from pg_available_extensions where name = 'citus') as "isAvailable",
       exists (select from pg_extension where extname = 'citus') as "isInstalled",
       current_setting('citus.shard_count', true) is not null as "isLoaded"`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('a select without a table gives a row');
  return facts;
}

/** What Citus reports about its nodes. Only if it is installed and loaded. */
export type ClusterNodes = {
  readonly isCoordinator: boolean;
  /** Whether the coordinator keeps shards of its own. */
  readonly coordinatorHasShards: boolean;
  /** Active workers that may be given shards. */
  readonly workers: number;
};

export async function selectClusterNodes(connection: Connection): Promise<ClusterNodes> {
  const { rows } = await connection.query<ClusterNodes>(
    `select coalesce((select groupid = 0 from pg_dist_local_group), true) as "isCoordinator",
       exists (${NODES} and groupid = 0) as "coordinatorHasShards",
       (select count(*)::int from (${NODES} and groupid <> 0) as workers) as workers`,
  );
  const [nodes] = rows;
  if (!nodes) throw new Error('a select without a table gives a row');
  return nodes;
}

const NODES = `select from pg_dist_node
  where noderole = 'primary' and isactive and shouldhaveshards`;
