import type { Connection } from '../../../connection/connection.ts';
import type { ReportedChanges } from './update-delivered.ts';

export type Retries = {
  /** The pause after the first failure; each is twice as long as the one before. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** How long after a change its delivery is retried. */
  readonly giveUpMs: number;
};

/**
 * Notes that a delivery failed. Returns for each change whether it will be retried or was given up.
 * The end of an event is postponed with its beginning: if the ends of a backlog were due before the
 * beginnings that they wait for, each look for what is due would skip all of them.
 */
export async function updateFailed(
  connection: Connection,
  { sinkId, changes }: ReportedChanges,
  { firstMs, longestMs, giveUpMs }: Retries,
): Promise<('retried' | 'given up')[]> {
  const { rows } = await connection.query<{ givenUp: boolean }>(UPDATE_FAILED, [
    sinkId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
    firstMs,
    longestMs,
    giveUpMs,
  ]);
  return rows.map(({ givenUp }) => (givenUp ? 'given up' : 'retried'));
}

// The exponent is bounded: 2 to the number of a day's attempts would overflow.
const UPDATE_FAILED = `
with failed as (
  update alert_deliveries d set attempts = attempts + 1,
    due_at = now()
      + interval '1 ms' * least($5::float8, $4::float8 * 2::float8 ^ least(attempts, 30)),
    given_up_at = case when now() >= created_at + interval '1 ms' * $6::float8 then now() end
  from unnest($2::uuid[], $3::text[]) as failed (event_id, change)
  where d.sink_id = $1 and d.event_id = failed.event_id and d.change = failed.change
    and d.delivered_at is null and d.given_up_at is null
  returning d.event_id, d.change, d.due_at, d.given_up_at
), postponed as (
  update alert_deliveries e set due_at = b.due_at from failed b
  where e.sink_id = $1 and e.event_id = b.event_id and e.change = 'ended' and b.change = 'began'
    and e.delivered_at is null and e.given_up_at is null
    and b.given_up_at is null and e.due_at < b.due_at
)
select given_up_at is not null as "givenUp" from failed`;
