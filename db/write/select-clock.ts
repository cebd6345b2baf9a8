import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Connection } from '../connection/connection.ts';

/** Selects the time by the database's clock, in whole seconds. */
export async function selectClock(connection: Connection): Promise<EpochSeconds> {
  const { rows } = await connection.query<{ seconds: number }>(
    'select floor(extract(epoch from clock_timestamp()))::float8 as seconds',
  );
  const [row] = rows;
  if (!row) throw new Error('a statement of one row gave none');
  return row.seconds;
}
