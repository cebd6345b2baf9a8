import type { EpochSeconds } from '../../../domain/time/interval.ts';

/** An event of an alert as callers see it. */
export type EventRow = {
  readonly contextId: number;
  /** A UUID. */
  readonly eventId: string;
  readonly alertId: number;
  /** The revision of the rule that began the event. */
  readonly revision: string;
  readonly groupId: number;
  /** In raw form; null: the event is about the whole group. */
  readonly key: string | null;
  readonly startedAt: EpochSeconds;
  /** null: it is firing. */
  readonly endedAt: EpochSeconds | null;
  /** Integers of any size. */
  readonly value: string;
  readonly peakValue: string;
};

/** The columns of an EventRow, from events `e` and the tables that EVENT_TABLES joins. */
export const EVENT_COLUMNS = `
e.context_id as "contextId", e.event_id as "eventId", e.alert_id as "alertId", a.revision,
  a.group_id as "groupId", e.key, e.started_at::float8 as "startedAt",
  e.ended_at::float8 as "endedAt", trunc(e.value)::text as value,
  trunc(e.peak_value)::text as "peakValue"`;

/** Events of disabled groups are hidden, like the groups themselves. */
export const EVENT_TABLES = `
join alerts a on a.alert_id = e.alert_id
join counter_groups g on g.group_id = a.group_id and g.enabled`;
