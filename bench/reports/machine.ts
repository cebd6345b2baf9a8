import { availableParallelism, cpus, totalmem } from 'node:os';
import pg from 'pg';

export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string | null;
  readonly duckdb: string | null;
};

/** Describes the machine and the versions that the figures belong to. */
export async function describeMachine(
  databaseUrl: string | null,
  duckdb: string | null,
): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres: databaseUrl && (await postgresVersion(databaseUrl)),
    duckdb,
  };
}

/** Renders the head of a report. */
export function renderMachine(machine: Machine): string {
  const { cpu, cores, memoryBytes, platform, node, postgres, duckdb } = machine;
  const versions = [
    `Node ${node}`,
    postgres && `PostgreSQL ${postgres}`,
    duckdb && `DuckDB ${duckdb}`,
  ];
  return [
    `${cpu}, ${cores} cores, ${(memoryBytes / 2 ** 30).toFixed(1)} GiB, ${platform}`,
    versions.filter(Boolean).join(', '),
  ].join('\n');
}

async function postgresVersion(databaseUrl: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? null;
  } finally {
    await client.end();
  }
}
