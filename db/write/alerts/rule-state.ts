import type { AlertEvent, RuleState, Streaks } from '../../../domain/alerts/decide-windows.ts';
import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';

/** How far a revision is decided, and its state at that point. */
export type DecidedTo = { readonly evaluatedTo: EpochSeconds | null; readonly state: RuleState };

type StreakPairs = readonly (readonly [key: string | null, windows: number])[];

type StoredStreaks = { readonly met?: StreakPairs; readonly missed?: StreakPairs };

type EventRow = Omit<AlertEvent, 'value' | 'peakValue' | 'endedAt'> & {
  readonly value: string;
  readonly peakValue: string;
};

type StateRow = {
  readonly evaluatedTo: number | null;
  readonly streaks: StoredStreaks;
  readonly firing: readonly EventRow[];
};

/** Selects how far a revision is decided; null: the revision is superseded, or not enabled. */
export async function selectRuleState(
  connection: Connection,
  alertId: number,
): Promise<DecidedTo | null> {
  const { rows } = await connection.query<StateRow>(
    `select a.evaluated_to::float8 as "evaluatedTo", a.streaks,
       (select coalesce(json_agg(json_build_object('key', e.key, 'startedAt', e.started_at,
           'value', e.value::text, 'peakValue', e.peak_value::text)), '[]')
         from alert_events e where e.alert_id = a.alert_id and e.ended_at is null) as firing
     from alerts a where a.alert_id = $1 and a.superseded_at is null and a.enabled`,
    [alertId],
  );
  const [row] = rows;
  if (!row) return null;
  const { met = [], missed = [] } = row.streaks;
  return {
    evaluatedTo: row.evaluatedTo,
    state: {
      firing: new Map(row.firing.map((event) => [event.key, firingEvent(event)])),
      streaks: { met: new Map(met), missed: new Map(missed) },
    },
  };
}

const firingEvent = ({ key, startedAt, value, peakValue }: EventRow): AlertEvent => ({
  key,
  startedAt,
  endedAt: null,
  value: BigInt(value),
  peakValue: BigInt(peakValue),
});

/** Streaks in stored form, without empty maps. */
export const storedStreaks = ({ met, missed }: Streaks): StoredStreaks => ({
  ...(met.size > 0 && { met: [...met] }),
  ...(missed.size > 0 && { missed: [...missed] }),
});
