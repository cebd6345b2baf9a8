import pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import { besideDatabase } from '../load/databases.ts';

/** The nodes of a Citus cluster, as URLs of databases on them. */
export type Cluster = { readonly coordinator: string; readonly workers: readonly string[] };

/** Reads the list of workers from the coordinator's database. */
export async function openCluster(coordinator: string): Promise<Cluster> {
  const rows = await query<{ host: string; port: number }>(
    coordinator,
    `select nodename as host, nodeport as port from pg_dist_node
     where groupid <> 0 and noderole = 'primary' order by nodeid`,
  );
  const workers = rows.map(({ host, port }) => {
    const url = new URL(coordinator);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  });
  return { coordinator, workers };
}

/** Creates an empty database on the coordinator alone. Returns its URL. */
export async function makeSingle(
  { coordinator }: Cluster,
  name: string,
  cleanup: Cleanup,
): Promise<string> {
  await makeOn(coordinator, name, cleanup);
  return besideDatabase(coordinator, name);
}

/** Creates an empty database on all nodes as one Citus cluster. Returns the coordinator's URL. */
export async function makeClustered(
  { coordinator, workers }: Cluster,
  name: string,
  cleanup: Cleanup,
): Promise<string> {
  const own = besideDatabase(coordinator, name);
  for (const node of [coordinator, ...workers]) {
    await makeOn(node, name, cleanup);
    await query(besideDatabase(node, name), 'create extension citus');
  }
  await query(own, 'select citus_set_coordinator_host($1, $2)', placeOf(coordinator));
  for (const worker of workers) {
    await query(own, 'select citus_add_node($1, $2)', placeOf(worker));
  }
  return own;
}

/** Drops an existing database first: it is left over from an interrupted run. */
async function makeOn(node: string, name: string, cleanup: Cleanup): Promise<void> {
  const drop = () => query(node, `drop database if exists ${name} with (force)`);
  await drop();
  await query(node, `create database ${name} template template0 encoding 'UTF8'`);
  cleanup.add(async () => {
    await drop();
  });
}

function placeOf(url: string): [string, number] {
  const { hostname, port } = new URL(url);
  return [hostname, Number(port || 5432)];
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
