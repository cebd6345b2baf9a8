import type { Connection } from '../connection/connection.ts';

/** Selects the names of all contexts, in order. */
export async function selectContextNames(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    'select name from contexts order by name',
  );
  return rows.map((row) => row.name);
}
