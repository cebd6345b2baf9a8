import type { Cleanup } from '../cleanup.ts';
import { type Databases, openDatabases } from '../load/databases.ts';
import type { DataOptions } from '../options/data-options.ts';
import { showProgress } from '../reports/progress.ts';
import { type DuckDb, openDuckDb } from './duckdb.ts';
import { openPlainSql } from './plain-sql.ts';
import { type Service, startService } from './service.ts';
import type { System, SystemName } from './system.ts';

export type OpenSystems = {
  readonly systems: readonly System[];
  readonly service: Service | null;
  readonly databases: Databases | null;
  readonly duckdb: Omit<DuckDb, 'close'> | null;
};

/** Loads what is not loaded yet, and starts the named systems. */
export async function openSystems(
  options: DataOptions,
  names: readonly SystemName[],
  cleanup: Cleanup,
): Promise<OpenSystems> {
  const wanted = {
    service: names.includes('ours'),
    sql: names.includes('sql'),
    copy: isCompared(names),
  };
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

/** If ours runs beside another system, imports and sizes are compared too. */
const isCompared = (names: readonly SystemName[]): boolean =>
  names.includes('ours') && names.length > 1;

async function openDuckDbs(
  { shape }: DataOptions,
  names: readonly SystemName[],
  cleanup: Cleanup,
): Promise<DuckDb | null> {
  const wanted = (['duckdb', 'duckdb-tuned', 'duckdb-text'] as const).filter((name) =>
    names.includes(name),
  );
  if (wanted.length === 0) return null;
  showProgress('loading DuckDB');
  const duckdb = await openDuckDb({ shape, names: wanted, file: isCompared(names) });
  cleanup.add(() => duckdb.close());
  return duckdb;
}
