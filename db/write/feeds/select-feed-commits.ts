import type { Connection } from '../../connection/connection.ts';

/**
 * Returns how many times a feed has committed: the number of its newest commit, 0 before the first.
 */
export async function selectFeedCommits(connection: Connection, feedId: string): Promise<number> {
  const { rows } = await connection.query<{ commits: number }>(
    'select commits::float8 as commits from feeds where feed_id = $1',
    [feedId],
  );
  return rows[0]?.commits ?? 0;
}
