import type { AlertCondition } from '../../../domain/alerts/rule.ts';
import type { EpochSeconds } from '../../../domain/time/interval.ts';

/** A revision of a rule as callers see it. */
export type AlertRow = {
  readonly contextId: number;
  readonly alertId: number;
  /** A UUID. */
  readonly revision: string;
  readonly name: string;
  readonly severity: string;
  readonly description: string | null;
  readonly groupId: number;
  readonly meterId: number;
  readonly windowSeconds: number;
  readonly condition: AlertCondition;
  readonly threshold: number;
  /** The name of a probe, which may not exist yet; null: all readings. */
  readonly probe: string | null;
  /** Whether the rule is about some keys only. */
  readonly isFiltered: boolean;
  readonly enabled: boolean;
  /** The end of the last decided window; null: none was decided. */
  readonly evaluatedTo: EpochSeconds | null;
};

/** The columns of an AlertRow. Rules of disabled groups are hidden, like the groups themselves. */
export const ALERT_COLUMNS = `
select a.context_id as "contextId", a.alert_id as "alertId", a.revision, a.name, a.severity,
  a.description, a.group_id as "groupId", a.meter_id as "meterId",
  a.window_seconds as "windowSeconds", a.condition, a.threshold::float8 as threshold, a.probe,
  a.filter is not null as "isFiltered", a.enabled, a.evaluated_to::float8 as "evaluatedTo"
from alerts a join counter_groups g on g.group_id = a.group_id and g.enabled`;
