import type { ReadSession } from '../read-session.ts';
import {
  groupValues,
  KEY_COLUMNS,
  type KeyGroup,
  type KeyRow,
  PART_LABELS,
} from './key-columns.ts';

/** after: the key before the page, null for the first. limit: rows wanted, in order of keys. */
export type KeyPageRequest = { group: KeyGroup; after: string | null; limit: number };

/** One page of keys for each request; `request` is the request's place in the list. */
export const selectKeyPages = (
  session: ReadSession,
  requests: readonly KeyPageRequest[],
): Promise<(KeyRow & { request: number })[]> =>
  session.read({
    query: 'select-key-page',
    text: `
select (w.request - 1)::int as request, page.*
from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::int[]) with ordinality
  as w(group_id, part_group_1, part_group_2, part_group_3, after, wanted, request)
cross join lateral (
  select ${KEY_COLUMNS}
  from (
    select * from keys
    where group_id = w.group_id and (w.after is null or key > w.after)
    order by key limit w.wanted
  ) k ${PART_LABELS}
) page
order by w.request, page.key`,
    values: [
      ...groupValues(requests.map(({ group }) => group)),
      requests.map((request) => request.after),
      requests.map((request) => request.limit),
    ],
  });
