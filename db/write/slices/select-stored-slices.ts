import { SLICE_HELD_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';
import { selectIsDistributed } from '../../page-placement.ts';
import { pageBytesOf, pagePathOf, partitionSize } from '../../page-tables.ts';

/** Where the readings of an archived slice are. */
export type StoredArchive = {
  pool: string;
  /** Where the pool is mounted, as currently declared. */
  poolPath: string | null;
  /** The path of the file, from there. */
  path: string;
  /** SHA-256 of the file, in hexadecimal. */
  digest: string;
  bytes: number;
  rows: number;
  /** Epoch seconds. */
  archivedAt: number;
};

/** A slice, with everything about where it is stored. */
export type StoredSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  /** The tags that users gave the slice. */
  tags: string[];
  /** An import is filling it. */
  held: boolean;
  /**
   * The path of its pages within the server's data folder, or of its archive; null: neither is
   * known.
   */
  path: string | null;
  /** The size of its pages with their indexes and of its archive; null: there is neither. */
  sizeBytes: number | null;
  /** Also null for a slice that was archived by hand. */
  archive: StoredArchive | null;
};

/** Selects all slices of a context, oldest first, then by engine instance. */
export async function selectStoredSlices(
  connection: Connection,
  contextId: number,
): Promise<StoredSlice[]> {
  const sizeOf = partitionSize(await selectIsDistributed(connection));
  // JSON numbers hold every size; a bigint of PostgreSQL would arrive as text.
  const { rows } = await connection.query<StoredSlice>(
    `select s.slice_id as "sliceId", s.engine::int as engine, s.starts_at::float8 as "startsAt",
       s.ends_at::float8 as "endsAt", s.archived, s.tags,
       exists (select from pg_locks where locktype = 'advisory' and classid = ${SLICE_HELD_LOCK}
         and objsubid = 2 and objid::bigint = s.slice_id
         and database = (select oid from pg_database where datname = current_database())) as held,
       case when s.archived
         then coalesce(rtrim(p.path, '/') || '/' || s.archive_path, s.archive_path)
         else ${pagePathOf('s.slice_id')} end as path,
       nullif(coalesce(${pageBytesOf('s.slice_id', sizeOf)}, 0) + coalesce(s.archive_bytes, 0),
         0)::float8 as "sizeBytes",
       case when s.archive_digest is not null then json_build_object('pool', s.archive_pool,
         'poolPath', p.path, 'path', s.archive_path, 'digest', encode(s.archive_digest, 'hex'),
         'bytes', s.archive_bytes, 'rows', s.archive_rows,
         'archivedAt', floor(extract(epoch from s.archived_at))) end as archive
     from slices s
     left join pools p on p.context_id = s.context_id and p.name = s.archive_pool
     where s.context_id = $1
     order by s.starts_at, s.engine`,
    [contextId],
  );
  return rows;
}
