import pg from 'pg';
import { processUsage } from '../systems/process-usage.ts';
import { childrenOf } from './served-processes.ts';

/** Returns a function that reads the CPU time of all processes of a PostgreSQL on this machine. */
export async function postgresCpu(databaseUrl: string): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  await client.end();
  const [postmaster] = rows;
  if (!postmaster) throw new Error('PostgreSQL does not tell which process it is');
  const { pid } = postmaster;
  /** Microseconds so far, without processes that have ended. */
  return async () => {
    const usages = await Promise.all([pid, ...(await childrenOf(pid))].map(processUsage));
    return usages.reduce((sum, usage) => sum + (usage?.cpuSeconds ?? 0) * 1e6, 0);
  };
}
