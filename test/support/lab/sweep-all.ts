import type pg from 'pg';
import { removeIdlePartitions } from '../../../db/sql/remove-partitions.ts';
import { sweepContext } from '../../../store/sweep/sweep-context.ts';

/** Sweeps the only context, as a server does. Returns how many segments left the manifest. */
export async function sweepAll(
  connection: pg.Client,
  now: number,
  waitMs = 5_000,
): Promise<number> {
  const swept = await sweepContext(connection, { contextId: 1, now });
  await removeIdlePartitions(connection, { waitMs });
  return swept;
}
