import type { Connection } from '../../connection/connection.ts';

/** Selects the starts of the archived slices of an engine instance. */
export async function selectArchivedStarts(
  connection: Connection,
  { contextId, engine }: { readonly contextId: number; readonly engine: number },
): Promise<ReadonlySet<number>> {
  const { rows } = await connection.query<{ startsAt: number }>(
    `select starts_at::float8 as "startsAt" from slices
     where context_id = $1 and engine = $2 and archived`,
    [contextId, engine],
  );
  return new Set(rows.map(({ startsAt }) => startsAt));
}
