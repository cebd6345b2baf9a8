import type { Connection } from '../../connection/connection.ts';

/** A file in a pool that no slice names: to be removed, or just being written. */
export type ArchiveLeftover = { pool: string; path: string; poolPath: string | null };

export const insertLeftover = async (
  connection: Connection,
  contextId: number,
  { pool, path }: Omit<ArchiveLeftover, 'poolPath'>,
): Promise<void> => {
  await connection.query(
    'insert into archive_leftovers (context_id, pool, path) values ($1, $2, $3)',
    [contextId, pool, path],
  );
};

/**
 * Selects the leftovers of a context, except files that a slice does name, even if they are
 * recorded as leftovers.
 */
export async function selectLeftovers(
  connection: Connection,
  contextId: number,
): Promise<ArchiveLeftover[]> {
  const { rows } = await connection.query<ArchiveLeftover>(
    `select l.pool, l.path, p.path as "poolPath"
     from archive_leftovers l join pools p on p.context_id = l.context_id and p.name = l.pool
     where l.context_id = $1 and not exists (select from slices s where s.context_id = $1
       and s.archive_pool = l.pool and s.archive_path = l.path)
     order by l.pool, l.path`,
    [contextId],
  );
  return rows;
}

export const deleteLeftover = async (
  connection: Connection,
  contextId: number,
  { pool, path }: Omit<ArchiveLeftover, 'poolPath'>,
): Promise<void> => {
  await connection.query(
    'delete from archive_leftovers where context_id = $1 and pool = $2 and path = $3',
    [contextId, pool, path],
  );
};
