import { SLICE_HELD_LOCK } from '../advisory-locks.ts';
import type { ReadSession } from '../read-session.ts';

/** held: an import is filling it at this moment. path is null where its partition is not there. */
export type SliceRow = {
  contextId: number;
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  held: boolean;
  path: string | null;
};

/** All slices of the contexts, oldest first, then by engine instance (decision 15). */
export const selectSlices = (
  session: ReadSession,
  contextIds: readonly number[],
): Promise<SliceRow[]> =>
  session.read({
    query: 'select-slices',
    // An import holds an advisory lock on each slice it fills; a crash gives it back by itself.
    text: `
select s.context_id as "contextId", s.slice_id as "sliceId", s.engine,
  s.starts_at::float8 as "startsAt", s.ends_at::float8 as "endsAt", s.archived,
  held.slice_id is not null as held,
  case when s.archived then coalesce(rtrim(p.path, '/') || '/' || s.archive_path, s.archive_path)
    else pg_relation_filepath(to_regclass('samples_' || s.slice_id)) end as path
from slices s
left join pools p on p.context_id = s.context_id and p.name = s.archive_pool
left join (
  select distinct objid::bigint as slice_id from pg_locks
  where locktype = 'advisory' and classid = ${SLICE_HELD_LOCK} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
) held on held.slice_id = s.slice_id
where s.context_id = any($1::int[])
order by s.starts_at, s.engine`,
    values: [contextIds],
  });
