import type { Connection } from '../../connection/connection.ts';

/** lastAt: epoch seconds; null: nothing was ever imported. */
export type ContextImportsRow = { contextId: number; files: number; lastAt: number | null };

/** Selects how many files were imported into each context, and when the last file or feed was. */
export async function selectImports(
  connection: Connection,
  contextIds: readonly number[],
): Promise<ContextImportsRow[]> {
  const { rows } = await connection.query<ContextImportsRow>(
    `select c.context_id as "contextId", count(i.import_id)::int as files,
       extract(epoch from greatest(max(i.imported_at), (select max(f.committed_at) from feeds f
         where f.context_id = c.context_id and f.flows > 0)))::float8 as "lastAt"
     from contexts c left join imports i using (context_id)
     where c.context_id = any($1::int[]) group by c.context_id`,
    [contextIds],
  );
  return rows;
}
