import type { AlertEvent, RuleState } from '../../../domain/alerts/decide-windows.ts';
import { type AlertChange, eventChanges } from '../../../domain/alerts/event-changes.ts';
import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';
import { insertChanges, lockChanges } from './insert-changes.ts';
import { insertDeliveries } from './insert-deliveries.ts';
import { type DecidedTo, storedStreaks } from './rule-state.ts';

/** An event with its id (server/alerts/event-id.ts). */
export type IdentifiedEvent = AlertEvent & { readonly eventId: string };

export type Decision = {
  readonly alertId: number;
  readonly contextId: number;
  /** The rule begins with the first window that ends after this time. */
  readonly beginsAfter: EpochSeconds | null;
  /** The state that the decision continues from. */
  readonly before: Pick<DecidedTo, 'evaluatedTo'>;
  readonly evaluatedTo: EpochSeconds;
  readonly state: RuleState;
  readonly began: readonly IdentifiedEvent[];
  /** Events that existed before and have a new peak or have ended. */
  readonly changed: readonly IdentifiedEvent[];
};

/**
 * Stores a decision in the open transaction. Returns false, and writes nothing, if another server
 * has decided meanwhile or the revision is superseded or not enabled.
 */
export async function writeDecision(connection: Connection, decision: Decision): Promise<boolean> {
  const { alertId, contextId, before, began, changed } = decision;
  const changes = eventChanges(began, changed);
  if (changes.length > 0) await lockChanges(connection, contextId);
  // Locks the row until the end of the transaction: whichever server comes second finds the first
  // decision.
  const { rowCount } = await connection.query(
    `update alerts set evaluated_to = $3, streaks = $4, begins_after = coalesce(begins_after, $5)
     where alert_id = $1 and evaluated_to is not distinct from $2::bigint
       and superseded_at is null and enabled`,
    [
      alertId,
      before.evaluatedTo,
      decision.evaluatedTo,
      JSON.stringify(storedStreaks(decision.state.streaks)),
      decision.beginsAfter,
    ],
  );
  if (rowCount !== 1) return false;
  // Ends go first: a key may begin to fire again in the same decision.
  if (changed.length > 0) await updateEvents(connection, changed);
  if (began.length > 0) await insertEvents(connection, decision);
  await insertChanges(connection, contextId, changes);
  const idsOf = (wanted: AlertChange) =>
    changes.filter(({ change }) => change === wanted).map(({ eventId }) => eventId);
  await insertDeliveries(connection, contextId, { began: idsOf('began'), ended: idsOf('ended') });
  return true;
}

const insertEvents = (connection: Connection, { alertId, contextId, began }: Decision) =>
  connection.query(
    `insert into alert_events
       (event_id, alert_id, context_id, key, started_at, ended_at, value, peak_value)
     select event_id, $1, $2, key, started_at, ended_at, value, peak_value
     from unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::numeric[], $8::numeric[])
       as e(event_id, key, started_at, ended_at, value, peak_value)`,
    [
      alertId,
      contextId,
      began.map(({ eventId }) => eventId),
      began.map(({ key }) => key),
      began.map(({ startedAt }) => startedAt),
      began.map(({ endedAt }) => endedAt),
      began.map(({ value }) => String(value)),
      began.map(({ peakValue }) => String(peakValue)),
    ],
  );

const updateEvents = (connection: Connection, changed: readonly IdentifiedEvent[]) =>
  connection.query(
    `update alert_events e set ended_at = c.ended_at, peak_value = c.peak_value
     from unnest($1::uuid[], $2::bigint[], $3::numeric[]) as c(event_id, ended_at, peak_value)
     where e.event_id = c.event_id`,
    [
      changed.map(({ eventId }) => eventId),
      changed.map(({ endedAt }) => endedAt),
      changed.map(({ peakValue }) => String(peakValue)),
    ],
  );
