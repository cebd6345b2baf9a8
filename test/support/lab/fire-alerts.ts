import type { TestService } from './service.ts';

export type Fired = {
  readonly context: string;
  readonly startedAt: number;
  readonly key: string;
  readonly value: number;
};

/** Stores events as if every rule of a context fired for a key, and earlier for the whole group. */
export const fireAlerts = (
  { sql }: Pick<TestService, 'sql'>,
  { context, startedAt, key, value }: Fired,
): Promise<unknown> =>
  sql(
    `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
       peak_value)
     select gen_random_uuid(), a.alert_id, a.context_id, e.key, $2::bigint - e.ago,
       case when e.ago > 0 then $2::bigint end, $4::numeric, $4::numeric + 1
     from alerts a join contexts c using (context_id)
       cross join (values ($3::text, 0), (null, 60)) as e (key, ago)
     where c.name = $1`,
    [context, startedAt, key, value],
  );
