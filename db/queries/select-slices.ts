import { SLICE_HELD_LOCK } from '../advisory-locks.ts';
import { pagePathOf } from '../page-tables.ts';
import type { ReadSession } from '../session/read-session.ts';
import { HISTORY, type VersionsRow, versionsCheck } from './select-versions.ts';

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
