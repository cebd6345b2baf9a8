import type { Cleanup } from '../cleanup.ts';
import { type Databases, openDatabases } from '../load/databases.ts';
import type { DataOptions } from '../options.ts';
import { showProgress } from '../reports/progress.ts';
import { openDuckDb } from './duckdb.ts';
import { openPlainSql } from './plain-sql.ts';
import { type Service, startService } from './service.ts';
import type { System, SystemName } from './system.ts';

export type OpenSystems = {
  readonly systems: readonly System[];
  readonly service: Service | null;
  readonly databases: Databases | null;
  readonly duckdb: { readonly version: string; readonly loadSeconds: number } | null;
};

/** Loads what is not loaded yet, and starts the systems of these names. */
export async function openSystems(
  options: DataOptions,
  names: readonly SystemName[],
  cleanup: Cleanup,
): Promise<OpenSystems> {
  const wanted = { service: names.includes('ours'), sql: names.includes('sql') };
  const databases =
    wanted.service || wanted.sql ? await openDatabases(options, wanted, cleanup) : null;
  const service = databases && wanted.service ? await openService(databases, cleanup) : null;
  const duckdb = await openDuckDbs(options, names, cleanup);
  const systems: System[] = [...(service ? [service] : []), ...(duckdb?.systems ?? [])];
  if (databases && wanted.sql) {
    const sql = await openPlainSql(databases.sqlUrl, options.shape);
    cleanup.add(() => sql.close());
    systems.push(sql);
  }
  return { systems, service, databases, duckdb };
}

async function openService({ serviceUrl }: Databases, cleanup: Cleanup): Promise<Service> {
  const service = await startService(serviceUrl);
  cleanup.add(() => service.close());
  return service;
}

async function openDuckDbs({ shape }: DataOptions, names: readonly SystemName[], cleanup: Cleanup) {
  const wanted = (['duckdb', 'duckdb-tuned', 'duckdb-text'] as const).filter((name) =>
    names.includes(name),
  );
  if (wanted.length === 0) return null;
  showProgress('loading DuckDB');
  const started = performance.now();
  const duckdb = await openDuckDb(shape, wanted);
  cleanup.add(() => duckdb.close());
  const loadSeconds = (performance.now() - started) / 1000;
  return { systems: duckdb.systems, version: duckdb.version, loadSeconds };
}
