import pg from 'pg';
import { processUsage } from '../systems/process-usage.ts';
import { childrenOf } from './served-processes.ts';

/** What tells the processor time of a PostgreSQL on this machine, all its processes together. */
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
  /** In microseconds so far. What has ended is no longer in it. */
  return async () => {
    const usages = await Promise.all([pid, ...(await childrenOf(pid))].map(processUsage));
    return usages.reduce((sum, usage) => sum + (usage?.cpuSeconds ?? 0) * 1e6, 0);
  };
}
