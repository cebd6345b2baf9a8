import type { Connection } from '../../connection/connection.ts';

/** Returns whether the context has data: a slice, available or archived. */
export async function selectHasSlices(connection: Connection, contextId: number): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(
    'select exists (select from slices where context_id = $1) as found',
    [contextId],
  );
  return rows[0]?.found ?? false;
}
