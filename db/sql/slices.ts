import { SLICE_HELD_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import { type PartitionSize, pageBytesOf, pagePathOf } from '../page-tables.ts';
import type { ReadSession } from '../session/read-session.ts';
import { HISTORY, type VersionsRow, versionsCheck } from './versions.ts';

/** held: an import is filling the slice at this moment. path is null if the slice has no pages. */
export type SliceRow = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  held: boolean;
  path: string | null;
  /** The tags that users gave the slice. */
  tags: string[];
};

/** isStandby: as reported by the node (decision 13). */
export type NodeSlices = {
  readonly isStandby: boolean;
  /** Oldest first, then by engine instance (decision 15). */
  readonly slices: readonly SliceRow[];
};

/** name: of the context; null if it has not reached a standby yet. */
export type SlicesRow = VersionsRow & NodeSlices & { readonly name: string | null };

/**
 * Selects all slices of the contexts; none for a context that has not reached a standby yet.
 * requestId: names the request in PostgreSQL's log, because no transaction does.
 */
export const selectSlices = (
  session: Pick<ReadSession, 'readAlone'>,
  contextIds: readonly number[],
  requestId: string | null,
): Promise<SlicesRow[]> =>
  // Often the last statement of a request, and its whole answer.
  session.readAlone<SlicesRow>(
    {
      query: 'select-slices',
      name: 'slices',
      text: SELECT_SLICES,
      values: [contextIds, requestId],
      sharedAs: `slices ${contextIds.join(' ')}`,
    },
    versionsCheck,
  );

/**
 * SQL: the slices of one context as JSON. An import holds an advisory lock on each slice it fills;
 * a crash releases it.
 */
export const slicesOf = (contextId: string): string => `(
  select coalesce(json_agg(json_build_object(
    'sliceId', s.slice_id, 'engine', s.engine, 'startsAt', s.starts_at, 'endsAt', s.ends_at,
    'archived', s.archived, 'held', held.slice_id is not null, 'tags', s.tags,
    'path', case
      when s.archived then coalesce(rtrim(p.path, '/') || '/' || s.archive_path, s.archive_path)
      else ${pagePathOf('s.slice_id')} end
  ) order by s.starts_at, s.engine), '[]')
  from slices s
  left join pools p on p.context_id = s.context_id and p.name = s.archive_pool
  left join (
    select distinct objid::bigint as slice_id from pg_locks
    where locktype = 'advisory' and classid = ${SLICE_HELD_LOCK} and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
  ) held on held.slice_id = s.slice_id
  where s.context_id = ${contextId})`;

export const SELECT_SLICES = `
select asked.context_id as "contextId", c.name, coalesce(v.version, 0)::float8 as version,
  coalesce(t.version, 0)::float8 as "textVersion", coalesce(v.layout, 0)::float8 as layout,
  ${HISTORY} as history, pg_is_in_recovery() as "isStandby",
  ${slicesOf('asked.context_id')} as slices
from unnest($1::int[]) as asked (context_id) cross join (values ($2::text)) as request (id)
left join contexts c using (context_id) left join context_versions v using (context_id)
left join text_versions t using (context_id)`;

type SliceSizeRow = { sliceId: number; bytes: string };

/**
 * Selects the bytes of the slices' pages with their indexes, open and sealed, measured now, or the
 * bytes of their archives. For a slice that was archived a moment ago it is the sum of both, while
 * older readers still use its pages. No row if neither is known.
 */
export const selectSliceSizes = (
  session: Pick<ReadSession, 'read'>,
  sliceIds: readonly number[],
  sizeOf: PartitionSize,
): Promise<SliceSizeRow[]> =>
  session.read({
    query: 'select-slice-sizes',
    text: `
select s.slice_id as "sliceId", coalesce(pages.bytes, 0) + coalesce(s.archive_bytes, 0) as bytes
from slices s, lateral (select ${pageBytesOf('s.slice_id', sizeOf)} as bytes offset 0) pages
where s.slice_id = any($1::int[]) and (pages.bytes is not null or s.archive_bytes is not null)`,
    values: [sliceIds],
  });

type HeldSliceRow = { sliceId: number; archived: boolean };

/** The start of a slice, and its context and engine instance. */
type SlicePlace = { contextId: number; engine: number; startsAt: number };

/**
 * Selects the slice of that context, engine instance and start, and holds it until the end of the
 * transaction (its status is `processing` meanwhile). Returns null if there is none. The context is
 * locked, so nobody archives the slice before it is held.
 */
export async function selectAndHoldSlice(
  connection: Connection,
  place: SlicePlace,
): Promise<HeldSliceRow | null> {
  const { rows } = await connection.query<HeldSliceRow>(
    `select slice_id as "sliceId", archived from slices
     where context_id = $1 and engine = $2 and starts_at = $3`,
    [place.contextId, place.engine, place.startsAt],
  );
  const slice = rows[0];
  if (!slice) return null;
  await holdSlice(connection, slice.sliceId);
  return slice;
}

/**
 * Reserves a new slice's id and holds it as above, so that what is created for it is not taken for
 * an orphan.
 */
export async function reserveSlice(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select nextval(pg_get_serial_sequence('slices', 'slice_id'))::int as "sliceId"`,
  );
  const sliceId = Number(rows[0]?.sliceId);
  await holdSlice(connection, sliceId);
  return sliceId;
}

const holdSlice = (connection: Connection, sliceId: number) =>
  connection.query('select pg_advisory_xact_lock_shared($1, $2)', [SLICE_HELD_LOCK, sliceId]);

export type SliceTimes = {
  sliceId: number;
  engine: number;
  /** Epoch seconds, half open. */
  startsAt: number;
  endsAt: number;
  archived: boolean;
};

/**
 * Selects all slices of a context, including archived ones, oldest first, then by engine instance.
 */
export async function selectSliceTimes(
  connection: Connection,
  contextId: number,
): Promise<SliceTimes[]> {
  const { rows } = await connection.query<SliceTimes>(
    `select slice_id as "sliceId", engine::int as engine, starts_at::float8 as "startsAt",
       ends_at::float8 as "endsAt", archived
     from slices where context_id = $1 order by starts_at, engine`,
    [contextId],
  );
  return rows;
}

/** Inserts a slice whose partition exists and is empty, and its engine instance if it is new. */
export async function insertSlice(
  connection: Connection,
  slice: SlicePlace & { sliceId: number; endsAt: number },
): Promise<void> {
  await connection.query(
    'insert into engines (context_id, instance) values ($1, $2) on conflict do nothing',
    [slice.contextId, slice.engine],
  );
  await connection.query(
    `insert into slices (slice_id, context_id, engine, starts_at, ends_at)
     values ($1, $2, $3, $4, $5)`,
    [slice.sliceId, slice.contextId, slice.engine, slice.startsAt, slice.endsAt],
  );
}

export type SliceTags = {
  readonly contextId: number;
  readonly sliceId: number;
  readonly tags: readonly string[];
};

/** isChanged: whether its tags were others before. startsAt: epoch seconds. */
type TaggedSlice = {
  readonly isChanged: boolean;
  readonly startsAt: number;
  readonly engine: number;
};

/** Sets the tags that users give a slice. Returns null if the context has no such slice. */
export async function updateSliceTags(
  connection: Connection,
  { contextId, sliceId, tags }: SliceTags,
): Promise<TaggedSlice | null> {
  const { rows } = await connection.query<TaggedSlice>(
    `with found as (
       select slice_id, starts_at, engine, tags is distinct from $3::text[] as is_changed
       from slices
       where context_id = $1 and slice_id = $2
     ), changed as (
       update slices set tags = $3 from found
       where slices.slice_id = found.slice_id and is_changed
     )
     select is_changed as "isChanged", starts_at::float8 as "startsAt", engine from found`,
    [contextId, sliceId, tags],
  );
  return rows[0] ?? null;
}

/** Deletes a slice with its coverage. Its partition is removed later. */
export const deleteSlice = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from slices where slice_id = $1', [sliceId]);
};

/** Deletes the coverage of a slice, but not the slice itself. */
export const deleteCoverage = async (connection: Connection, sliceId: number): Promise<void> => {
  await connection.query('delete from coverage where slice_id = $1', [sliceId]);
};
