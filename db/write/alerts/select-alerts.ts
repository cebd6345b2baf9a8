import type { AlertCondition, AlertRule } from '../../../domain/alerts/rule.ts';
import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';

/** A revision of a rule that is not superseded. */
export type StoredAlert = {
  readonly alertId: number;
  readonly contextId: number;
  readonly context: string;
  /** The UUID of this revision. */
  readonly revision: string;
  readonly rule: AlertRule;
  /** As PostgreSQL writes a uuid. */
  readonly guid: string;
  readonly topperBucketSize: number;
  /** The end of the data that existed when the rule was applied; null: there were none. */
  readonly beginsAfter: EpochSeconds | null;
  /** The end of the last decided window; null: none was decided. */
  readonly evaluatedTo: EpochSeconds | null;
};

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
       a.enabled, a.begins_after::float8 as "beginsAfter", a.evaluated_to::float8 as "evaluatedTo"
     from alerts a join contexts c using (context_id) join counter_groups g using (group_id)
     where a.superseded_at is null and ($1::int is null or a.context_id = $1)
     order by a.context_id, a.name`,
    [contextId],
  );
  return rows.map(toAlert);
}

function toAlert(row: AlertRow): StoredAlert {
  const { alertId, contextId, context, revision, guid, topperBucketSize, ...rest } = row;
  const { condition, threshold, beginsAfter, evaluatedTo, ...declared } = rest;
  const rule = { ...declared, when: { condition, threshold } };
  return {
    alertId,
    contextId,
    context,
    revision,
    rule,
    guid,
    topperBucketSize,
    beginsAfter,
    evaluatedTo,
  };
}
