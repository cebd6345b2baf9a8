import type { ReadSession } from '../session/read-session.ts';

/** name: of the context. */
export type TotalWindowRow = { contextId: number; name: string; from: number; to: number };

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
select c.context_id as "contextId", c.name, min(v.first_bucket)::float8 as "from",
  max(v.last_bucket + g.bucket_size)::float8 as "to"
from contexts c
join slices s using (context_id)
join coverage v using (slice_id)
join counter_groups g using (group_id)
where c.context_id = any($1::int[]) and not s.archived and g.enabled
group by c.context_id`,
    values: [contextIds],
  });
