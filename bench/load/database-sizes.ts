import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Size of the whole database, including catalogs and indexes. */
export const databaseBytes = (client: pg.Client): Promise<number> =>
  selectNumber(client, 'select pg_database_size(current_database()) as value');

/** Runs `work`. Returns its result, and the largest size of the whole database meanwhile. */
export async function watchBytes<T>(
  client: pg.Client,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly mostBytes: number }> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let mostBytes = 0;
  const watching = (async () => {
    while (!isOver) {
      mostBytes = Math.max(mostBytes, await databaseBytes(client));
      await delay(LOOK_EVERY_MS);
    }
  })();
  const [result] = await Promise.all([ended, watching]);
  return { result, mostBytes };
}

const LOOK_EVERY_MS = 100;

/** Write-ahead log that the server has written since it was created. */
export const walBytes = (client: pg.Client): Promise<number> =>
  selectNumber(client, `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as value`);

export type LiveSegments = {
  readonly segments: number;
  readonly bytes: number;
  /** Number of samples: one key in one bucket. Copies in roll-ups are not counted again. */
  readonly rows: number;
};

/** Totals of the live segments in the manifest. Bytes and number include roll-ups. */
export async function liveSegments(client: pg.Client): Promise<LiveSegments> {
  const { rows } = await client.query<Record<'segments' | 'bytes' | 'rows', string>>(
    `select count(*) as segments, coalesce(sum(size_bytes), 0) as bytes,
       coalesce(sum(row_count) filter (where sources is null), 0) as rows
     from segments where died is null`,
  );
  const { segments = 0, bytes = 0, rows: samples = 0 } = rows[0] ?? {};
  return { segments: Number(segments), bytes: Number(bytes), rows: Number(samples) };
}

async function selectNumber(client: pg.Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ value: string }>(statement);
  return Number(rows[0]?.value);
}
