import type { AlertCondition, AlertRule, Silence } from '../../domain/alerts/rule.ts';
import type { KeyFilter } from '../../domain/filters/key-filter.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Connection } from '../connection/connection.ts';
import { newestBucketBy } from '../newest-bucket.ts';
import { insertChanges, insertDeliveries, lockChanges, PRESENT_UNTIL } from './alert-decisions.ts';

/** A revision of a rule that is not superseded. */
export type StoredAlert = {
  readonly alertId: number;
  readonly contextId: number;
  readonly context: string;
  /** The UUID of this revision. */
  readonly revision: string;
  readonly rule: AlertRule;
  readonly origin: AlertOrigin;
  /** As PostgreSQL writes a uuid. */
  readonly guid: string;
  readonly topperBucketSize: number;
  /** The end of the data that existed when the rule was applied; null: there were none. */
  readonly beginsAfter: EpochSeconds | null;
  /** The end of the last decided window; null: none was decided. */
  readonly evaluatedTo: EpochSeconds | null;
};

/** Where a rule comes from, and what its next revision takes over. */
export type AlertOrigin = {
  /** The name of the user who made it in the page; null: it was declared. */
  readonly madeBy: string | null;
  /** null: sinks are told of its events. */
  readonly silence: Silence | null;
};

export const DECLARED: AlertOrigin = { madeBy: null, silence: null };

type AlertRow = {
  alertId: number;
  contextId: number;
  context: string;
  revision: string;
  name: string;
  groupId: number;
  guid: string;
  topperBucketSize: number;
  meterId: number;
  windowSeconds: number;
  condition: AlertCondition;
  threshold: number;
  filter: KeyFilter | null;
  probe: string | null;
  forWindows: number;
  clearWindows: number;
  severity: string;
  description: string | null;
  maxKeys: number;
  enabled: boolean;
  madeBy: string | null;
  silence: Silence | null;
  beginsAfter: number | null;
  evaluatedTo: number | null;
};

/** Selects the rules of a context, or of all contexts (null), by name, including disabled ones. */
export async function selectStoredAlerts(
  connection: Connection,
  contextId: number | null,
): Promise<StoredAlert[]> {
  // float8 is exact for thresholds and times as they were given, and arrives as a number.
  const { rows } = await connection.query<AlertRow>(
    `select a.alert_id as "alertId", a.context_id as "contextId", c.name as context, a.revision,
       a.name, a.group_id as "groupId", g.guid, g.topper_bucket_size as "topperBucketSize",
       a.meter_id as "meterId", a.window_seconds as "windowSeconds", a.condition,
       a.threshold::float8 as threshold, a.filter, a.probe, a.for_windows as "forWindows",
       a.clear_windows as "clearWindows", a.severity, a.description, a.max_keys as "maxKeys",
       a.enabled, a.made_by as "madeBy", ${SILENCE} as silence,
       a.begins_after::float8 as "beginsAfter",
       a.evaluated_to::float8 as "evaluatedTo"
     from alerts a join contexts c using (context_id) join counter_groups g using (group_id)
     where a.superseded_at is null and ($1::int is null or a.context_id = $1)
     order by a.context_id, a.name`,
    [contextId],
  );
  return rows.map(toAlert);
}

/** SQL: the silence of an alert `a`, as it is now. */
export const SILENCE = `case when a.silenced_until > clock_timestamp() then
  json_build_object('until', floor(extract(epoch from a.silenced_until)), 'by', a.silenced_by,
    'reason', a.silence_reason) end`;

function toAlert(row: AlertRow): StoredAlert {
  const { alertId, contextId, context, revision, guid, topperBucketSize, ...rest } = row;
  const { condition, threshold, beginsAfter, evaluatedTo, madeBy, silence, ...declared } = rest;
  const rule = { ...declared, when: { condition, threshold } };
  return {
    alertId,
    contextId,
    context,
    revision,
    rule,
    origin: { madeBy, silence },
    guid,
    topperBucketSize,
    beginsAfter,
    evaluatedTo,
  };
}

/**
 * Inserts a revision of a rule, which begins after the present data. Data ahead of the clock are
 * not present, unless all are ahead.
 */
export async function insertAlert(
  connection: Connection,
  contextId: number,
  { rule, origin: { madeBy, silence } }: Pick<StoredAlert, 'rule' | 'origin'>,
): Promise<void> {
  await connection.query(
    `insert into alerts (context_id, name, group_id, meter_id, window_seconds, condition, threshold,
       filter, probe, for_windows, clear_windows, severity, description, max_keys, enabled,
       made_by, silenced_until, silenced_by, silence_reason, begins_after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
       to_timestamp($17::float8), $18, $19, (
       select coalesce(max(${newestBucketBy(PRESENT_UNTIL)}), max(v.last_bucket))
         + min(g.bucket_size)
       from coverage v join slices s using (slice_id) join counter_groups g using (group_id)
         left join probes p on p.probe_id = v.probe_id
       where v.group_id = $3 and not s.archived and ($9::text is null or p.name = $9)))`,
    [
      contextId,
      rule.name,
      rule.groupId,
      rule.meterId,
      rule.windowSeconds,
      rule.when.condition,
      rule.when.threshold,
      rule.filter && JSON.stringify(rule.filter),
      rule.probe,
      rule.forWindows,
      rule.clearWindows,
      rule.severity,
      rule.description,
      rule.maxKeys,
      rule.enabled,
      madeBy,
      silence?.until,
      silence?.by,
      silence?.reason,
    ],
  );
}

/** Lets all rules of a context begin with the first bucket that ends after `after`. */
export const beginAlerts = async (
  connection: Connection,
  contextId: number,
  after: EpochSeconds,
): Promise<void> => {
  await connection.query('update alerts set begins_after = $2 where context_id = $1', [
    contextId,
    after,
  ]);
};

/** Makes a rule a declared one, without a new revision. */
export const updateDeclared = async (connection: Connection, alertId: number): Promise<void> => {
  await connection.query('update alerts set made_by = null where alert_id = $1', [alertId]);
};

/**
 * Sets the silence of a rule, or lifts it. A decision of its windows that is in progress is
 * complete before, or finds it.
 */
export const updateSilence = async (
  connection: Connection,
  alertId: number,
  silence: Silence | null,
): Promise<void> => {
  await connection.query(
    `update alerts set silenced_until = to_timestamp($2::float8), silenced_by = $3,
       silence_reason = $4
     where alert_id = $1`,
    [alertId, silence?.until, silence?.by, silence?.reason],
  );
};

/**
 * Supersedes a revision of a rule, and ends its events with the last window that it decided. The
 * revision is kept while it has events, and deleted immediately if it has none.
 */
export async function supersedeAlert(
  connection: Connection,
  { alertId, contextId }: Pick<StoredAlert, 'alertId' | 'contextId'>,
): Promise<void> {
  await lockChanges(connection, contextId);
  // This locks the row: a decision of its windows is either complete, or finds the revision
  // superseded.
  await connection.query('update alerts set superseded_at = now() where alert_id = $1', [alertId]);
  const { rows } = await connection.query<{ eventId: string }>(
    `update alert_events e set ended_at = greatest(e.started_at, a.evaluated_to)
     from alerts a where a.alert_id = $1 and e.alert_id = a.alert_id and e.ended_at is null
     returning e.event_id as "eventId"`,
    [alertId],
  );
  const ended = rows.map(({ eventId }) => eventId);
  await insertChanges(
    connection,
    contextId,
    ended.map((eventId) => ({ eventId, change: 'ended' })),
  );
  await insertDeliveries(connection, contextId, { began: [], ended });
  await connection.query(
    `delete from alerts a where a.alert_id = $1
       and not exists (select from alert_events e where e.alert_id = a.alert_id)`,
    [alertId],
  );
}

/** A receiver of a context's events; either url or urlEnv is set. */
export type AlertSink = {
  readonly name: string;
  readonly kind: 'webhook' | 'alertmanager';
  readonly url: string | null;
  readonly urlEnv: string | null;
  readonly secretEnv: string | null;
};

/** Selects the sinks of a context, by name. */
export async function selectSinks(connection: Connection, contextId: number): Promise<AlertSink[]> {
  const { rows } = await connection.query<AlertSink>(
    `select name, kind, url, url_env as "urlEnv", secret_env as "secretEnv"
     from alert_sinks where context_id = $1 order by name`,
    [contextId],
  );
  return rows;
}

/** Inserts a sink, or changes the one of that name, which keeps its deliveries. */
export const upsertSink = async (
  connection: Connection,
  contextId: number,
  { name, kind, url, urlEnv, secretEnv }: AlertSink,
): Promise<void> => {
  await connection.query(
    `insert into alert_sinks (context_id, name, kind, url, url_env, secret_env)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (context_id, name) do update
     set kind = excluded.kind, url = excluded.url, url_env = excluded.url_env,
       secret_env = excluded.secret_env`,
    [contextId, name, kind, url, urlEnv, secretEnv],
  );
};

/** Deletes a sink, with its waiting deliveries. */
export const deleteSink = async (
  connection: Connection,
  contextId: number,
  name: string,
): Promise<void> => {
  await connection.query('delete from alert_sinks where context_id = $1 and name = $2', [
    contextId,
    name,
  ]);
};
