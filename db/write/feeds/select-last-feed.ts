import type { Connection } from '../../connection/connection.ts';

export type LastFeedRow = { startedAt: Date; committedAt: Date; flows: number; newestUs: number };

/** Selects the feed that last committed flows into a context, or null. */
export async function selectLastFeed(
  connection: Connection,
  context: string,
): Promise<LastFeedRow | null> {
  const { rows } = await connection.query<LastFeedRow>(
    `select f.started_at as "startedAt", f.committed_at as "committedAt",
       f.flows::float8 as flows, f.newest_us::float8 as "newestUs"
     from feeds f join contexts c using (context_id)
     where c.name = $1 and f.flows > 0 order by f.committed_at desc limit 1`,
    [context],
  );
  return rows[0] ?? null;
}
