import type { Connection } from '../../connection/connection.ts';
import type { ImportRow } from './select-import.ts';

/** length: of the content in bytes; digest: SHA-256 of it. */
export type HeadImportRow = ImportRow & { length: number; digest: Buffer };

/** Selects the imports into a context whose content has that head, the shortest first. */
export async function selectImportsByHead(
  connection: Connection,
  contextId: number,
  head: Buffer,
): Promise<HeadImportRow[]> {
  const { rows } = await connection.query<HeadImportRow>(
    `select source as "from", imported_at as "importedAt", length::float8 as length, digest from imports
     where context_id = $1 and head = $2 order by length, import_id`,
    [contextId, head],
  );
  return rows;
}
