import { inject } from 'vitest';
import { rowsOf } from '../support/database/rows-of.ts';

export const hasCluster = inject('workerUrls').length >= 2;

if (!hasCluster) {
  console.warn(
    'skipped: nothing is tested on Citus: COUNTERGRAPH_TEST_CITUS_URL names a coordinator with ' +
      'two workers (README.md, "Tests")',
  );
}

/** Returns the number of shards of a database's pages; 0: the pages are not distributed. */
export async function shardCount(databaseUrl: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    databaseUrl,
    `select count(*)::int as count from pg_dist_shard
     where logicalrelid = 'sealed_segment_pages'::regclass`,
  );
  return row?.count ?? 0;
}

/** Returns the number of pages on each worker, by address. */
export async function pagesByNode(databaseUrl: string): Promise<Map<string, number>> {
  const rows = await rowsOf<{ node: string; count: string }>(
    databaseUrl,
    `select nodename || ':' || nodeport as node, sum(result::int) as count
     from pg_dist_node join pg_dist_placement using (groupid)
       join run_command_on_shards('sealed_segment_pages', 'select count(*) from %s') using (shardid)
     group by 1`,
  );
  return new Map(rows.map(({ node, count }) => [node, Number(count)]));
}
