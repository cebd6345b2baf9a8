import type { Connection } from '../../connection/connection.ts';

/**
 * What was imported. digest: SHA-256 of the content, decompressed; head: of its first bytes, as
 * many as the largest power of two that is not more than its length.
 */
export type ImportRecord = {
  readonly contextId: number;
  readonly length: number;
  readonly digest: Buffer;
  readonly head: Buffer;
  readonly source: string;
  readonly format: string;
};

export const insertImport = async (
  connection: Connection,
  { contextId, length, digest, head, source, format }: ImportRecord,
): Promise<void> => {
  await connection.query(
    `insert into imports (context_id, length, digest, head, source, format)
     values ($1, $2, $3, $4, $5, $6)`,
    [contextId, length, digest, head, source, format],
  );
};
