import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';

/**
 * Returns the size of a database file with keys and readings: the same rows as in memory, in time
 * order with key ids, written at once in DuckDB's newest storage format.
 */
export async function measureDuckDbFile(connection: DuckDBConnection): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-bench-'));
  try {
    const file = join(folder, 'readings.duckdb');
    await connection.run(`attach '${file}' as stored (storage_version 'latest')`);
    await connection.run('create table stored.keys as from keys');
    await connection.run(`create table stored.readings as from readings`);
    await connection.run('checkpoint stored');
    await connection.run('detach stored');
    return (await stat(file)).size;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
