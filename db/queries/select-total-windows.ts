import type { ReadSession } from '../session/read-session.ts';

export type TotalWindowRow = { contextId: number; from: number; to: number };

/**
 * Selects the window of each context, from the oldest available bucket to the end of the newest; no
 * row for a context without data.
 */
export const selectTotalWindows = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
): Promise<TotalWindowRow[]> =>
  session.read({
    query: 'select-total-windows',
    text: `
select s.context_id as "contextId", min(v.first_bucket)::float8 as "from",
  max(v.last_bucket + g.bucket_size)::float8 as "to"
from slices s
join coverage v using (slice_id)
join counter_groups g using (group_id)
where s.context_id = any($1::int[]) and not s.archived and g.enabled
group by s.context_id`,
    values: [contextIds],
  });
