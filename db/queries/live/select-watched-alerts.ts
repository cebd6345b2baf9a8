import type { ReadSession, TimeBound } from '../../session/read-session.ts';
import { NOTHING_FOLLOWS } from './select-rights.ts';

/** newest: number and nonce of the newest change, zeros if there was none: `17 4711`. */
export type NewestChange = { readonly contextId: number; readonly newest: string };

/** Selects the newest changes of the alerts of contexts. One statement, no transaction. */
export const selectWatchedAlerts = (
  session: Pick<ReadSession, 'readAlone'>,
  contextIds: readonly number[],
  bound: TimeBound,
): Promise<NewestChange[]> =>
  session.readAlone<NewestChange>(
    {
      query: 'select-watched-alerts',
      name: 'watched alerts',
      text: `
select asked.context_id as "contextId", coalesce(c.last, 0) || ' ' || coalesce(c.nonce, 0) as newest
from unnest($1::int[]) as asked (context_id)
left join alert_change_counters c using (context_id)`,
      values: [contextIds],
    },
    () => NOTHING_FOLLOWS,
    bound,
  );
