import type { Connection } from '../../connection/connection.ts';

export type ImportRow = { from: string; importedAt: Date };

/** Selects the last import of that content into the context, or null. */
export async function selectImport(
  connection: Connection,
  contextId: number,
  digest: Buffer,
): Promise<ImportRow | null> {
  const { rows } = await connection.query<ImportRow>(
    `select source as "from", imported_at as "importedAt" from imports
     where context_id = $1 and digest = $2 order by import_id desc limit 1`,
    [contextId, digest],
  );
  return rows[0] ?? null;
}
