import { DECLARED, insertAlert } from '../../../db/sql/alert-rules.ts';
import type { AlertRule } from '../../../domain/alerts/rule.ts';
import {
  openWritableDatabase,
  type WritableDatabase,
} from '../../support/database/writable-database.ts';
import { group, guidOf } from '../../support/lab/lab.ts';

export type AlertLab = Awaited<ReturnType<typeof openAlertLab>>;

export type AddedEvent = {
  readonly id: string;
  readonly alertId: number;
  readonly startedAt: number;
  /** null, the default: it is firing. */
  readonly endedAt?: number | null;
  readonly key?: string | null;
  readonly value?: string;
};

/** The id of the nth event: ids sort as their numbers do. */
export const eventId = (n: number): string =>
  `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A database with two contexts, each with a group, and functions that add rules and events. */
export async function openAlertLab() {
  const database = await openWritableDatabase();
  const lab = await contextWithGroup(database, 'lab');
  const elsewhere = await contextWithGroup(database, 'elsewhere');

  const rule = (name: string, changes: Partial<AlertRule> = {}): AlertRule => ({
    name,
    groupId: lab.groupId,
    meterId: 0,
    windowSeconds: 300,
    when: { condition: 'key_above', threshold: 1000 },
    filter: null,
    probe: null,
    forWindows: 1,
    clearWindows: 1,
    severity: 'warning',
    description: null,
    maxKeys: 10,
    enabled: true,
    ...changes,
  });

  async function addRule(name: string, changes: Partial<AlertRule> = {}): Promise<number> {
    const { contextId } = changes.groupId === elsewhere.groupId ? elsewhere : lab;
    await insertAlert(database.connection, contextId, {
      rule: rule(name, changes),
      origin: DECLARED,
    });
    const [row] = await database.rowsOf<{ id: number }>(
      `select alert_id as id from alerts
       where context_id = $1 and name = $2 and superseded_at is null`,
      [contextId, name],
    );
    if (!row) throw new Error(`there is no rule ${name}`);
    return row.id;
  }

  return {
    ...database,
    lab,
    elsewhere,
    rule,
    addRule,
    async addEvent({ id, alertId, startedAt, ...event }: AddedEvent): Promise<string> {
      const { endedAt = null, key = null, value = '5' } = event;
      await database.connection.query(
        `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at,
           value, peak_value)
         select $1, alert_id, context_id, $3, $4, $5, $6::numeric, $6::numeric
         from alerts where alert_id = $2`,
        [id, alertId, key, startedAt, endedAt, value],
      );
      return id;
    },
    /** Adds a sink with an address of its own; returns its id. */
    async addSink(
      name: string,
      kind: 'webhook' | 'alertmanager' = 'webhook',
      contextId: number = lab.contextId,
    ): Promise<number> {
      const [row] = await database.rowsOf<{ id: number }>(
        `insert into alert_sinks (context_id, name, kind, url)
         values ($1, $2, $3, 'http://' || $2::text) returning sink_id as id`,
        [contextId, name, kind],
      );
      return row?.id ?? 0;
    },
    /** All deliveries, as sink, event, change and state. */
    async deliveries() {
      return database.rowsOf<{ sink: string; event: string; change: string; state: string }>(
        `select s.name as sink, d.event_id as event, d.change,
           case when d.delivered_at is not null then 'delivered'
             when d.given_up_at is not null then 'given up' else 'waiting' end as state
         from alert_deliveries d join alert_sinks s using (sink_id)
         order by s.name, d.event_id, d.change`,
      );
    },
    /** The numbered changes of a context's events. */
    changes: (contextId: number) =>
      database.rowsOf<{ number: number; event: string; change: string }>(
        `select number::int, event_id as event, change from alert_changes
         where context_id = $1 order by number`,
        [contextId],
      ),
  };
}

async function contextWithGroup(database: WritableDatabase, context: string) {
  await database.apply({ context, groups: [group(1)] });
  const contextId = await database.contextId(context);
  return { contextId, groupId: await database.groupId(contextId, guidOf(1)) };
}
