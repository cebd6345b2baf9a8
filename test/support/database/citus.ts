import { distributePages } from '../../../store/distribute/distribute-pages.ts';
import { rowsOf } from './rows-of.ts';

/*
 * If COUNTERGRAPH_TEST_CITUS_URL names a coordinator with two workers, each test database exists on
 * every node, with its pages distributed: cloning it clones it on every node.
 */

/** The addresses of a coordinator's workers, with the same user as the coordinator's. */
export async function workersOf(adminUrl: string): Promise<string[]> {
  const nodes = await rowsOf<{ host: string; port: number }>(adminUrl, WORKERS);
  if (nodes.length < 2) {
    throw new Error('COUNTERGRAPH_TEST_CITUS_URL must name a coordinator with two workers');
  }
  return nodes.map(({ host, port }) => {
    const url = new URL(adminUrl);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  });
}

const WORKERS = `select nodename as host, nodeport as port from pg_dist_node
  where groupid <> 0 and noderole = 'primary' order by nodeid`;

/** Makes a Citus cluster of empty databases that have the same name. */
export async function joinDatabases(url: string, workerUrls: readonly string[]): Promise<void> {
  for (const each of [url, ...workerUrls]) await rowsOf(each, 'create extension citus');
  const { host, port } = placeOf(url);
  await rowsOf(url, 'select citus_set_coordinator_host($1, $2)', [host, port]);
  for (const worker of workerUrls) {
    const place = placeOf(worker);
    await rowsOf(url, 'select citus_add_node($1, $2)', [place.host, place.port]);
  }
}

export const distribute = (databaseUrl: string) => distributePages({ databaseUrl });

/** Terminates the sessions that Citus keeps in a database: PostgreSQL clones none that has any. */
export const clearDatabase = (adminUrl: string, name: string) =>
  rowsOf(adminUrl, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    name,
  ]);

export const placeOf = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || 5432) };
};
