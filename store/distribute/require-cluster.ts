import type { Connection } from '../../db/connection/connection.ts';
import {
  type ClusterFacts,
  type ClusterNodes,
  selectClusterFacts,
  selectClusterNodes,
} from '../../db/sql/distribute.ts';

/**
 * Checks that the database is a coordinator with workers. Errors: why it is not, and what to do.
 */
export async function requireCluster(connection: Connection): Promise<ClusterNodes> {
  const missing = missingPart(await selectClusterFacts(connection));
  if (missing !== null) throw new Error(missing);
  const nodes = await selectClusterNodes(connection);
  const unfit = unfitness(nodes);
  if (unfit !== null) throw new Error(unfit);
  return nodes;
}

/** Returns why Citus cannot be used in a database; null if it can. */
export function missingPart({ isAvailable, isInstalled, isLoaded }: ClusterFacts): string | null {
  if (!isAvailable && !isInstalled) {
    return (
      'Citus is not installed in this database: its package must be on the coordinator and on ' +
      `every worker, ${PRELOAD} there, and then ${CREATE}`
    );
  }
  if (!isLoaded) {
    return `Citus is not loaded by this server: ${PRELOAD}, and restart it; then ${CREATE}`;
  }
  return isInstalled ? null : `Citus is not installed in this database: ${CREATE}`;
}

const PRELOAD = '`citus` in `shared_preload_libraries`';

const CREATE =
  'run `create extension citus` in this database on the coordinator and on every worker, and ' +
  '`select citus_add_node(…)` on the coordinator for each worker';

/** Returns why pages cannot be distributed over these nodes; null if they can. */
export function unfitness(nodes: ClusterNodes): string | null {
  if (!nodes.isCoordinator) {
    return 'DATABASE_URL is the address of a Citus worker: it must be that of the coordinator';
  }
  if (nodes.workers === 0) {
    return (
      'Citus has no worker here that takes shards: add at least one, with ' +
      '`select citus_add_node(host, port)` on the coordinator'
    );
  }
  if (nodes.coordinatorHasShards) {
    return (
      'The coordinator must keep no shards itself: set it aside, with `select ' +
      "citus_set_node_property(host, port, 'shouldhaveshards', false)`"
    );
  }
  return null;
}
