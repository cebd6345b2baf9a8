import { SLICE_HELD_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';
import { selectIsDistributed } from '../../page-placement.ts';
import { pageBytesOf, pagePathOf, partitionSize } from '../../page-tables.ts';

/** Where the readings of an archived slice are. */
export type StoredArchive = {
  pool: string;
  /** Where the pool is mounted, as it is declared now. */
  poolPath: string | null;
  /** Of the file, from there. */
  path: string;
  /** SHA-256 of the file, in hexadecimal. */
  digest: string;
  bytes: number;
  rows: number;
  /** Epoch seconds. */
  archivedAt: number;
};

/** A slice with all that says where it is stored. */
export type StoredSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  /** Those that users gave it. */
  tags: string[];
  /** An import is filling it. */
  held: boolean;
  /** Of its pages within the server's data folder, or of the archive; null: neither is known. */
  path: string | null;
  /** Of its pages with their indexes, and of the archive; null: neither is there. */
  sizeBytes: number | null;
  /** null also for a slice that was put away by hand. */
  archive: StoredArchive | null;
};

/** All slices of a context, oldest first, then by engine instance. */
export async function selectStoredSlices(
  connection: Connection,
  contextId: number,
): Promise<StoredSlice[]> {
  const sizeOf = partitionSize(await selectIsDistributed(connection));
  // Numbers of JSON hold every size; what PostgreSQL calls a bigint would arrive as text.
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
