import type { Connection } from '../../connection/connection.ts';

/** Records what was imported. digest: SHA-256 of the content, decompressed. */
export const insertImport = async (
  connection: Connection,
  record: { contextId: number; digest: Buffer; source: string; format: string },
): Promise<void> => {
  await connection.query(
    'insert into imports (context_id, digest, source, format) values ($1, $2, $3, $4)',
    [record.contextId, record.digest, record.source, record.format],
  );
};
