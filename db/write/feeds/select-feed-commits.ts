import type { Connection } from '../../connection/connection.ts';

/** How many commits of a feed have happened: the number of its newest one, 0 before the first. */
export async function selectFeedCommits(connection: Connection, feedId: string): Promise<number> {
  const { rows } = await connection.query<{ commits: number }>(
    'select commits::float8 as commits from feeds where feed_id = $1',
    [feedId],
  );
  return rows[0]?.commits ?? 0;
}
