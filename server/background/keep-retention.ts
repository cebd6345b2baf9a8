import { type Connection, isTransactionPooled } from '../../db/connection/connection.ts';
import { NEEDS_SESSION } from '../../db/connection/pooling.ts';
import { selectEventRetentions } from '../../db/write/alerts/retention/select-event-retentions.ts';
import { removeTakenPartitions } from '../../db/write/pages/remove-taken-partitions.ts';
import { selectIsPrimary } from '../../db/write/select-is-primary.ts';
import { type Retention, selectRetentions } from '../../db/write/slices/select-retentions.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import { LIMITS } from '../../domain/limits.ts';
import { dropSlice } from '../../keeping/drop-slice.ts';
import { expiredSelection } from '../../keeping/expired.ts';
import { dropExpiredEvents } from '../../keeping/expired-events.ts';
import type { Keeper } from '../../keeping/keeper.ts';
import { planSlices } from '../../keeping/plan-slices.ts';
import type { Logger } from '../telemetry/log.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';
import { RetentionTally } from './retention-tally.ts';

export type KeepRetentionOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Where what was done is written down. */
  readonly tally?: RetentionTally;
  /** null: only when `runOnce` is called. */
  readonly delays?: Delays | null;
  /** How long an import that has a context is waited for. */
  readonly lockMs?: number;
};

const DELAYS = { firstMs: LIMITS.retentionFirstMs, everyMs: LIMITS.retentionEveryMs };

/**
 * Drops what is older than its context's `retention_days`, slices and ended events of alerts, on
 * the primary, and gives back the space of what was archived or dropped while readers still looked
 * at it. It takes a context only for a slice at a time, and where an import has it for long, comes
 * back later.
 */
export function keepRetention(options: KeepRetentionOptions): BackgroundWork {
  const { databaseUrl, log, tally = new RetentionTally(), delays = DELAYS } = options;
  const { clock = Date.now, lockMs = LIMITS.retentionLockMs } = options;
  const now = () => Math.floor(clock() / 1000);

  let isWarned = false;

  /** A pooler loses what keeps imports away. False: something is left undone. */
  async function leaveUndone(connection: Connection): Promise<boolean> {
    if (!isWarned) log.warn(`old slices are not dropped: ${NEEDS_SESSION}`);
    isWarned = true;
    return (await selectRetentions(connection, now())).length === 0;
  }

  async function look(signal: AbortSignal): Promise<void> {
    let failed = true;
    try {
      failed = !(await withConnection({ databaseUrl, signal }, 'retention', async (connection) => {
        const dropping = { connection, log, tally, now, lockMs, signal };
        // These need no lock, so they go also behind a pooler.
        const areEventsGood = await dropEvents(dropping);
        const areSlicesGood = isTransactionPooled(connection)
          ? await leaveUndone(connection)
          : await dropSlices(dropping);
        return areEventsGood && areSlicesGood;
      }));
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'no context could be looked at for retention');
    }
    // Being told to end is no failure, and nothing to count any more.
    if (!signal.aborted) tally.noteRun({ endedAt: Date.now() / 1000, failed });
  }

  return workInBackground(look, delays);
}

type Dropping = {
  readonly connection: Connection;
  readonly log: Logger;
  readonly tally: RetentionTally;
  readonly now: () => number;
  readonly lockMs: number;
  readonly signal: AbortSignal;
};

/** Whether those of all contexts could be dropped. */
async function dropEvents(dropping: Dropping): Promise<boolean> {
  const { connection, log, tally, now, signal } = dropping;
  let isGood = true;
  for (const { name: context, ...retention } of await selectEventRetentions(connection, now())) {
    try {
      const events = await dropExpiredEvents({ ...retention, connection, now, signal });
      tally.droppedEvents += events;
      const facts = { context, events, retentionDays: retention.retentionDays };
      if (events > 0) log.info(facts, 'ended events of alerts were too old and dropped');
    } catch (error) {
      if (signal.aborted) return isGood;
      log.error({ err: error, context }, 'old events of alerts could not be dropped');
      isGood = false;
    }
  }
  return isGood;
}

/** Whether all contexts could be looked at. */
async function dropSlices(dropping: Dropping): Promise<boolean> {
  const { connection, log, now, signal } = dropping;
  let isGood = true;
  for (const retention of await selectRetentions(connection, now())) {
    try {
      await dropOf(dropping, retention);
    } catch (error) {
      if (signal.aborted) return isGood;
      log.error({ err: error, context: retention.name }, 'old slices could not be dropped');
      isGood = false;
    }
  }
  if (await selectIsPrimary(connection)) await removeTakenPartitions(connection, { signal });
  return isGood;
}

async function dropOf(
  { connection, log, tally, now, lockMs, signal }: Dropping,
  { contextId, name: context, retentionDays }: Retention,
): Promise<void> {
  const keeper: Keeper = { connection, contextId, context, retentionDays, now, signal };
  const selection = expiredSelection(retentionDays, now());
  const { slices } = await planSlices(keeper, 'drop', selection);
  for (const chosen of slices) {
    const slice = await dropSlice(keeper, chosen, lockMs);
    // Somebody works on the context, or was faster: there is another look.
    if (slice === null) return;
    tally.droppedSlices += 1;
    const { name, archived } = slice;
    log.info({ context, slice: name, archived, retentionDays }, 'a slice was too old and dropped');
  }
}
