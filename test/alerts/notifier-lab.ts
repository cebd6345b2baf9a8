import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import {
  type KeepNotifyingOptions,
  keepNotifying,
} from '../../server/alerts/notify/keep-notifying.ts';
import { NotificationTally } from '../../server/alerts/notify/notification-metrics.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { collectingStream } from '../support/http/collecting-stream.ts';

/** 2024-07-15T00:00:00Z. */
export const STARTED = 1_721_001_600;

const DECLARATION = `
  insert into contexts (name) values ('lab'), ('other');
  insert into counter_groups (context_id, guid, name, key_kind, bucket_size, topper_bucket_size,
    sampling_rate, enabled, has_data)
  select context_id, '4cd742b1-c1ca-4708-be78-0fca2eb01a86', 'Hosts', 'ip', 60, 300, 1, true, true
  from contexts order by context_id;
  insert into meters (group_id, meter_id, slot, type, topcount, name, description, units)
  select group_id, 0, 1, 2, 100, 'Total', 'Total bytes', 'bytes' from counter_groups;
  insert into key_texts (group_id, key, label, label_source)
    values (1, 'C0.A8.01.0A', 'printer', 'user');
  insert into alerts (context_id, name, group_id, meter_id, window_seconds, condition, threshold,
    for_windows, clear_windows, severity, description, max_keys, enabled)
  select context_id, 'big talker', group_id, 0, 300, 'key_above', 1000000000, 1, 1, 'warning',
    'somebody sends a lot', 100, true
  from counter_groups order by context_id`;

export type Sink = {
  readonly name?: string;
  readonly kind?: 'webhook' | 'alertmanager';
  readonly url?: string;
  readonly urlEnv?: string;
  readonly secretEnv?: string;
  readonly contextId?: number;
};

export type EventToBegin = {
  readonly key?: string | null;
  readonly startedAt?: number;
  readonly value?: string;
  readonly contextId?: number;
};

export type NotifierLab = Awaited<ReturnType<typeof openNotifierLab>>;

/** Waits until the condition holds; only the time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5);
}

/** A database with a rule in each of two contexts, whose events the test begins and ends. */
export async function openNotifierLab(databaseUrl?: string) {
  const database = databaseUrl ? null : await createTestDatabase();
  const url = databaseUrl ?? database?.url ?? '';
  const sql = <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    rowsOf<Row>(url, text, values);
  await sql(DECLARATION);
  const logged: string[] = [];
  const variables: Record<string, string> = {};
  const running = new Set<{ stop(): Promise<void> }>();

  return {
    url,
    sql,
    variables,
    logText: () => logged.join(''),
    /** A server's notifier, which looks often and retries soon. */
    startNotifier(options: Partial<KeepNotifyingOptions> = {}) {
      const tally = new NotificationTally();
      const work = keepNotifying({
        databaseUrl: url,
        log: createLog('debug', collectingStream(logged)),
        variable: (name) => variables[name],
        delays: { firstMs: 0, everyMs: 10 },
        retries: { firstMs: 10, longestMs: 20, giveUpMs: 86_400_000 },
        tally,
        ...options,
      });
      const notifier = {
        tally,
        async stop() {
          running.delete(notifier);
          await work.stop();
        },
      };
      running.add(notifier);
      return notifier;
    },
    async addSink({ name = 'noc', kind = 'webhook', contextId = 1, ...where }: Sink) {
      const rows = await sql<{ id: number }>(
        `insert into alert_sinks (context_id, name, kind, url, url_env, secret_env)
         values ($1, $2, $3, $4, $5, $6) returning sink_id as id`,
        [contextId, name, kind, where.url, where.urlEnv, where.secretEnv],
      );
      return rows[0]?.id ?? 0;
    },
    /** Begins an event as the evaluator does, with deliveries to its sinks. */
    async begin({ key = 'C0.A8.01.0A', contextId = 1, ...event }: EventToBegin = {}) {
      const id = randomUUID();
      const { startedAt = STARTED, value = '1234567890' } = event;
      await sql(
        `with event as (
           insert into alert_events (event_id, alert_id, context_id, key, started_at, value,
             peak_value)
           select $1, alert_id, context_id, $3, $4, $5, $5 from alerts where context_id = $2
           returning event_id, context_id)
         insert into alert_deliveries (event_id, sink_id, change)
         select event_id, sink_id, 'began' from event join alert_sinks using (context_id)`,
        [id, contextId, key, startedAt, value],
      );
      return id;
    },
    /** Begins an event for each of this many keys, in their order, in one commit. */
    async beginMany(count: number) {
      await sql(
        `with event as (
           insert into alert_events (event_id, alert_id, context_id, key, started_at, value,
             peak_value)
           select gen_random_uuid(), alert_id, context_id, lpad(to_hex(key), 8, '0'), $2, 1, 1
           from alerts, generate_series(1, $1) key where context_id = 1
           returning event_id, context_id)
         insert into alert_deliveries (event_id, sink_id, change)
         select event_id, sink_id, 'began' from event join alert_sinks using (context_id)`,
        [count, STARTED],
      );
    },
    async finish(id: string, endedAt = STARTED + 300) {
      await sql(
        `with event as (
           update alert_events set ended_at = $2 where event_id = $1
           returning event_id, context_id)
         insert into alert_deliveries (event_id, sink_id, change)
         select event_id, sink_id, 'ended' from event join alert_sinks s using (context_id)
         where s.kind = 'alertmanager' or exists (select from alert_deliveries d
           where d.event_id = event.event_id and d.sink_id = s.sink_id)`,
        [id, endedAt],
      );
    },
    /** Waits until the notifier has looked for due deliveries `count` times. */
    async looks(count: number) {
      const seen = new Set<string>();
      await until(async () => {
        const rows = await sql<{ at: string }>(`select query_start::text as at
          from pg_stat_activity where datname = current_database()
          and application_name = 'countergraph notifier'`);
        for (const { at } of rows) seen.add(at);
        // The first look may have begun before this call, and each runs at most four statements.
        return seen.size > 4 * (count + 1);
      });
    },
    /** Whether every delivery was made or given up. */
    async isAllTold() {
      const rows = await sql(
        'select from alert_deliveries where delivered_at is null and given_up_at is null',
      );
      return rows.length === 0;
    },
    /** Restores the initial state. */
    async clear() {
      for (const notifier of running) await notifier.stop();
      for (const name of Object.keys(variables)) delete variables[name];
      logged.length = 0;
      await sql('delete from alert_sinks');
      await sql('delete from alert_events');
      await sql('update alerts set description = $1, silenced_until = null, silenced_by = null', [
        'somebody sends a lot',
      ]);
    },
    async close() {
      for (const notifier of running) await notifier.stop();
      await database?.drop();
    },
  };
}
