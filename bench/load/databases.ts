import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import type { DataOptions } from '../options/data-options.ts';
import { showProgress } from '../reports/progress.ts';
import { loadPlainSql } from '../systems/plain-sql.ts';
import { startEmbedded } from '../systems/product.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import { loadService, type ServiceLoad } from './load-service.ts';

/** What the databases hold, as recorded in a file beside them. */
export type Loaded = {
  readonly shape: TrafficShape;
  readonly service: ServiceLoad | null;
  readonly sql: SqlLoad | null;
};

export type SqlLoad = { readonly seconds: number };

export type Databases = {
  /** The databases of the service and of plain SQL, on one PostgreSQL. */
  readonly serviceUrl: string;
  readonly sqlUrl: string;
  readonly loaded: Loaded;
};

export type WantedDatabases = {
  readonly service: boolean;
  readonly sql: boolean;
  /** Also measure COPY of the same rows, if there is an import. */
  readonly copy: boolean;
};

/** Starts PostgreSQL and fills the wanted databases that do not exist yet. */
export async function openDatabases(
  { shape, keep }: DataOptions,
  wanted: WantedDatabases,
  cleanup: Cleanup,
): Promise<Databases> {
  const folder = await openFolder(keep, cleanup);
  let loaded = await readLoaded(folder, shape);
  showProgress('starting PostgreSQL');
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), settings: settings() });
  // When started as root, the data may be in another folder than the one requested.
  if (keep === null) cleanup.add(() => rm(server.dataDir, { recursive: true, force: true }));
  cleanup.add(() => server.stop());
  const serviceUrl = besideDatabase(server.url, SERVICE_DATABASE);
  const sqlUrl = besideDatabase(server.url, SQL_DATABASE);
  const save = async (more: Partial<Loaded>): Promise<void> => {
    loaded = { ...loaded, ...more };
    await writeFile(join(folder, LOADED_FILE), JSON.stringify(loaded, null, 2));
  };
  if (wanted.service && !loaded.service) {
    await makeDatabase(server.url, SERVICE_DATABASE);
    const toLoad = { databaseUrl: serviceUrl, shape, folder, copy: wanted.copy };
    await save({ service: await loadService(toLoad) });
  }
  if (wanted.sql && !loaded.sql) {
    showProgress('loading plain SQL');
    const started = performance.now();
    await makeDatabase(server.url, SQL_DATABASE);
    await loadPlainSql(sqlUrl, shape);
    await save({ sql: { seconds: (performance.now() - started) / 1000 } });
  }
  return { serviceUrl, sqlUrl, loaded };
}

const SERVICE_DATABASE = 'service';
const SQL_DATABASE = 'plain_sql';
const LOADED_FILE = 'loaded.json';

/** Settings in addition to the product's. They fit the machine and apply to both databases. */
export const settings = (): Record<string, string> => {
  const megabytes = Math.floor(totalmem() / 2 ** 20);
  return {
    shared_buffers: `${Math.min(Math.floor(megabytes / 4), 8192)}MB`,
    effective_cache_size: `${Math.floor(megabytes / 2)}MB`,
    maintenance_work_mem: '512MB',
    max_wal_size: '4GB',
    // One worker besides the session itself: two threads, as for every system.
    max_parallel_workers_per_gather: '1',
    max_parallel_maintenance_workers: '1',
  };
};

async function openFolder(keep: string | null, cleanup: Cleanup): Promise<string> {
  if (keep !== null) {
    await mkdir(resolve(keep), { recursive: true });
    return resolve(keep);
  }
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-bench-'));
  // PostgreSQL does not run as root, so its user needs access.
  await chmod(folder, 0o755);
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function readLoaded(folder: string, shape: TrafficShape): Promise<Loaded> {
  const file = join(folder, LOADED_FILE);
  if (!existsSync(file)) return { shape, service: null, sql: null };
  const loaded: Loaded = JSON.parse(await readFile(file, 'utf8'));
  if (JSON.stringify(loaded.shape) === JSON.stringify(shape)) return loaded;
  throw new Error(
    `${folder} holds ${JSON.stringify(loaded.shape)}, not ${JSON.stringify(shape)}: ` +
      'ask for the same, or keep this in another folder',
  );
}

/** Returns the URL of another database on the same PostgreSQL. */
export function besideDatabase(url: string, name: string): string {
  const beside = new URL(url);
  beside.pathname = `/${name}`;
  return beside.href;
}

/** Drops an existing database first: it is left over from an interrupted run. */
export async function makeDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
}
