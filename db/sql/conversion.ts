import { CONVERSION_LOCK } from '../advisory-locks.ts';
import { CopyReader, copyArray, copyInteger as integer } from '../binary-copy.ts';
import type { Connection } from '../connection/connection.ts';
import { pagePartitionOf } from '../page-tables.ts';
import type { CopySource } from '../session/copy-source.ts';

/**
 * Takes the lock for converting the database, waiting until nobody else holds it. The lock lasts
 * until the connection ends.
 */
export const lockConversion = (connection: Connection) =>
  connection.query('select pg_advisory_lock($1, 0)', [CONVERSION_LOCK]);

type ContextRow = { readonly contextId: number; readonly name: string };

/**
 * Selects all contexts, in the order in which everyone who needs several of their locks takes them.
 */
export async function selectContexts(connection: Connection): Promise<ContextRow[]> {
  const { rows } = await connection.query<ContextRow>(
    'select context_id as "contextId", name from contexts order by context_id',
  );
  return rows;
}

/** A slice with segments of format 1. */
export type Format1Slice = {
  readonly contextId: number;
  readonly context: string;
  readonly sliceId: number;
  /** Epoch seconds. Null, as its engine, if segments are left of a slice that is gone. */
  readonly startsAt: number | null;
  readonly engine: number | null;
  /** The size of its segments. */
  readonly sizeBytes: number;
};

/** SQL: whether a row of the manifest is a segment of format 1. */
const IS_FORMAT_1 = `substr(directory, 1, 1) in ('\\x01', '\\x02')`;

/** Selects the slices with segments of format 1, those of a context in order of time. */
export async function selectFormat1Slices(connection: Connection): Promise<Format1Slice[]> {
  const { rows } = await connection.query<Format1Slice>(
    `select s.context_id as "contextId", c.name as context, s.slice_id as "sliceId",
       l.starts_at::float8 as "startsAt", l.engine::int as engine,
       sum(s.size_bytes)::float8 as "sizeBytes"
     from segments s join contexts c using (context_id)
     left join slices l using (slice_id)
     where s.died is null and ${IS_FORMAT_1}
     group by s.context_id, c.name, s.slice_id, l.starts_at, l.engine
     order by s.context_id, l.starts_at nulls first, l.engine, s.slice_id`,
  );
  return rows;
}

/** A segment of format 1. Times in epoch seconds. */
export type Format1Row = {
  readonly segmentId: number;
  readonly groupId: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly importedAt: number;
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly directory: Uint8Array;
};

/** Selects the segments of format 1 of a slice, the oldest first. */
export async function selectFormat1Segments(
  connection: Connection,
  { contextId, sliceId }: Pick<Format1Slice, 'contextId' | 'sliceId'>,
): Promise<Format1Row[]> {
  const { rows } = await connection.query<Format1Row>(
    `select segment_id::float8 as "segmentId", group_id as "groupId", probe_id as "probeId",
       slice_id as "sliceId", level::int as level,
       floor(extract(epoch from imported_at))::float8 as "importedAt",
       row_count::float8 as "rowCount", size_bytes::float8 as "sizeBytes", directory
     from segments
     where context_id = $1 and slice_id = $2 and died is null and ${IS_FORMAT_1}
     order by segment_id`,
    [contextId, sliceId],
  );
  return rows;
}

/** Selects pages of a segment of format 1, by number: views of one buffer. */
export async function selectFormat1Pages(
  source: CopySource,
  segment: Pick<Format1Row, 'segmentId' | 'sliceId' | 'level' | 'importedAt'>,
  numbers: ReadonlySet<number>,
): Promise<Map<number, Uint8Array>> {
  const partition = pagePartitionOf(segment);
  const place =
    partition.table === 'sealed_segment_pages'
      ? 'format_1_sealed_pages where true'
      : `format_1_open_pages where generation = ${integer(partition.generation)}`;
  const text = `copy (select page, bytes from ${place}
    and slice_id = ${integer(segment.sliceId)} and segment_id = ${integer(segment.segmentId)}
    and page = any(${copyArray([...numbers])})) to stdout (format binary)`;
  const reader = new CopyReader(await source.copy({ query: 'select-format-1-pages', text }));
  const pages = new Map<number, Uint8Array>();
  while (reader.next()) pages.set(reader.integer(), reader.bytes());
  return pages;
}

/**
 * Removes segments of format 1 from the manifest, right after the segments that replace them were
 * published. Whoever knows an older layout then reads the whole manifest. Errors: another process
 * has removed one of them.
 */
export async function replaceFormat1Segments(
  connection: Connection,
  contextId: number,
  rows: readonly Pick<Format1Row, 'segmentId'>[],
): Promise<void> {
  const { rowCount } = await connection.query(
    'delete from segments where context_id = $1 and segment_id = any($2::bigint[]) and died is null',
    [contextId, rows.map(({ segmentId }) => segmentId)],
  );
  if (rowCount !== rows.length) {
    throw new Error('Segments were removed while they were converted: run it again');
  }
  await connection.query('update context_versions set swept_to = layout where context_id = $1', [
    contextId,
  ]);
}

/** The tables of pages of format 1, as migrations/from-1.7/adapt.sql has renamed them. */
const TABLES = `'format_1_open_pages'::regclass, 'format_1_sealed_pages'::regclass`;

/** Returns whether these tables are there. They are dropped when all segments are converted. */
export async function selectIsConverting(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isConverting: boolean }>(
    `select to_regclass('format_1_sealed_pages') is not null as "isConverting"`,
  );
  return rows[0]?.isConverting ?? false;
}

/** name: as in statements. */
type Partition = { readonly name: string; readonly parent: string; readonly isByHand: boolean };

/** SQL: the partitions, their slices, and their names without a schema. */
const PARTITIONS = `
  select c.oid, c.oid::regclass::text as name, i.inhparent::regclass::text as parent, c.relname,
    substring(c.relname from '_pages_([0-9]+)')::int as slice_id
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent in (${TABLES})`;

/**
 * Removes the partitions without live segments: of roll-ups, and of what was merged. If a slice was
 * archived by hand, nobody knows where else its readings are, so its partitions become tables of
 * their own.
 */
export async function removeUnusedPartitions(connection: Connection): Promise<void> {
  const { rows } = await connection.query<Partition>(
    `select name, parent, exists (select from slices s where s.slice_id = p.slice_id
         and s.archived and s.archive_digest is null) as "isByHand"
     from (${PARTITIONS}) p
     where not exists (select from segments s where s.slice_id = p.slice_id and s.died is null)
     order by oid`,
  );
  for (const { name, parent, isByHand } of rows) {
    await connection.query(
      isByHand ? `alter table ${parent} detach partition ${name}` : `drop table ${name}`,
    );
  }
}

/**
 * Renames the partitions of a slice, so that partitions for new pages can have their names. Returns
 * the new names.
 */
export async function renamePartitions(connection: Connection, sliceId: number): Promise<string[]> {
  const { rows } = await connection.query<{ name: string; to: string; oid: number }>(
    `select oid::int8::float8 as oid, name, format('%I', 'format_1_' || relname) as "to"
     from (${PARTITIONS}) p where slice_id = $1 order by oid`,
    [sliceId],
  );
  const names: string[] = [];
  for (const { oid, name, to } of rows) {
    await connection.query(`alter table ${name} rename to ${to}`);
    const renamed = await connection.query<{ name: string }>(
      'select $1::float8::int8::oid::regclass::text as name',
      [oid],
    );
    names.push(...renamed.rows.map((row) => row.name));
  }
  return names;
}

/** names: as renamePartitions returns them. */
export async function dropPartitions(
  connection: Connection,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await connection.query(`drop table ${name}`);
}

/** Drops the tables, whose partitions are all gone. */
export const dropFormat1Tables = (connection: Connection) =>
  connection.query('drop table format_1_open_pages, format_1_sealed_pages');
