import type { Connection } from '../connection/connection.ts';

/**
 * What was imported. digest: SHA-256 of the content, decompressed; head: of its first bytes, as
 * many as the largest power of two that is not more than its length.
 */
type ImportRecord = {
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

/** lastAt: epoch seconds; null: nothing was ever imported. */
type ContextImportsRow = { contextId: number; files: number; lastAt: number | null };

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

type ProbeRow = { probeId: number; name: string; created: boolean };

/** Returns the probes of these names, and creates those that the context does not have yet. */
export async function ensureProbes(
  connection: Connection,
  contextId: number,
  names: readonly string[],
): Promise<ProbeRow[]> {
  const { rows } = await connection.query<ProbeRow>(
    `with added as (
       insert into probes (context_id, name) select $1, unnest($2::text[])
       on conflict (context_id, name) do nothing
       returning probe_id, name
     )
     select probe_id as "probeId", name, true as created from added
     union all
     select probe_id, name, false from probes where context_id = $1 and name = any($2)`,
    [contextId, names],
  );
  return rows;
}

/** Records that groups have readings, if that is not recorded yet. */
export const noteGroupData = async (
  connection: Connection,
  groupIds: readonly number[],
): Promise<void> => {
  await connection.query(
    'update counter_groups set has_data = true where group_id = any($1::int[]) and not has_data',
    [groupIds],
  );
};
