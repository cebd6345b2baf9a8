import type { AlertCondition } from '../../../domain/alerts/rule.ts';
import type { KeyKind } from '../../../domain/keys/key-kind.ts';

/** A group that a part of a cross-key comes from. */
export type PartGroup = { readonly groupId: number; readonly keyKind: KeyKind };

/** An event with everything that a notification says about it, except the key's label. */
export type NotifiedEvent = {
  readonly eventId: string;
  readonly context: string;
  readonly alert: string;
  readonly severity: string;
  readonly description: string | null;
  readonly condition: AlertCondition;
  readonly threshold: number;
  /** In raw form; null: the event is about the whole group. */
  readonly key: string | null;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** null: it is firing. */
  readonly endedAt: number | null;
  /** An integer of any size. */
  readonly value: string;
  readonly peakValue: string;
  readonly groupId: number;
  readonly groupGuid: string;
  readonly groupName: string;
  readonly keyKind: KeyKind;
  /** The groups of a cross-key group's parts, in order; null: the group of that part is gone. */
  readonly parts: readonly (PartGroup | null)[];
  readonly meter: number;
  readonly meterName: string;
};

/** The columns of a NotifiedEvent, from the tables that `NOTIFIED_TABLES` joins to events `e`. */
export const NOTIFIED_COLUMNS = `
  e.event_id as "eventId", c.name as context, a.name as alert, a.severity, a.description,
  a.condition, a.threshold::float8 as threshold, e.key, e.started_at::float8 as "startedAt",
  e.ended_at::float8 as "endedAt", trunc(e.value)::text as value,
  trunc(e.peak_value)::text as "peakValue", g.group_id as "groupId",
  g.guid as "groupGuid", g.name as "groupName", g.key_kind as "keyKind", m.meter_id as meter,
  m.name as "meterName", coalesce((
    select json_agg(case when p.group_id is not null
        then json_build_object('groupId', p.group_id, 'keyKind', p.key_kind) end order by part.place)
    from crosskeys x
    cross join lateral unnest(array[x.parent_guid, x.crosskey_guid_1, x.crosskey_guid_2])
      with ordinality as part (guid, place)
    left join counter_groups p on p.context_id = g.context_id and p.guid = part.guid
    where x.group_id = g.group_id and part.guid is not null), '[]') as parts`;

export const NOTIFIED_TABLES = `
join alerts a using (alert_id)
join contexts c on c.context_id = e.context_id
join counter_groups g on g.group_id = a.group_id
join meters m on m.group_id = a.group_id and m.meter_id = a.meter_id`;
