import pg from 'pg';
import { rowsOf } from './rows-of.ts';

/** Blocks all reads of these tables until `release`; readers wait. */
export async function holdTables(
  databaseUrl: string,
  tables: readonly string[],
): Promise<{ release(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: databaseUrl, application_name: 'holder' });
  await holder.connect();
  await holder.query(`begin; lock table ${tables.join(', ')} in access exclusive mode`);
  let held = true;
  return {
    async release() {
      if (held) await holder.end();
      held = false;
    },
  };
}

/** The number of the server's statements that wait for a lock. */
export async function countWaiting(databaseUrl: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    databaseUrl,
    `select count(*)::int from pg_stat_activity where datname = current_database()
       and application_name ~ '^countergraph( [0-9a-f-]{36})?$' and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}
