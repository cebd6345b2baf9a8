import { type Connection, isTransactionPooled } from '../../db/connection/connection.ts';
import { NEEDS_SESSION } from '../../db/connection/pooling.ts';
import { selectEventRetentions } from '../../db/write/alerts/retention/select-event-retentions.ts';
import { serverActor } from '../../db/write/audit/command-actor.ts';
import {
  deleteExpiredAudit,
  selectHasExpiredAudit,
} from '../../db/write/audit/delete-expired-audit.ts';
import { REFUSED_REMOVAL } from '../../db/write/pages/remove-page-partitions.ts';
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
  /** Counts what was done. */
  readonly tally?: RetentionTally;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
  /** How long to wait for an import that holds a context's lock. */
  readonly lockMs?: number;
  /** How many days rows of the audit are kept, by the database's clock. */
  readonly auditDays: number;
};

const DELAYS = { firstMs: LIMITS.retentionFirstMs, everyMs: LIMITS.retentionEveryMs };

/**
 * Drops slices and ended alert events that are older than their context's `retention_days`, on the
 * primary. It also frees the space of what was archived or dropped while readers still used it. It
 * locks a context for only one slice at a time. If an import holds the lock for long, it retries on
 * a later pass.
 */
export function keepRetention(options: KeepRetentionOptions): BackgroundWork {
  const { databaseUrl, log, tally = new RetentionTally(), delays = DELAYS } = options;
  const { clock = Date.now, lockMs = LIMITS.retentionLockMs, auditDays } = options;
  const now = () => Math.floor(clock() / 1000);

  let isWarned = false;

  /** A pooler loses the lock that keeps imports out. Returns false if slices are left to drop. */
  async function leaveUndone(connection: Connection): Promise<boolean> {
    if (!isWarned) log.warn(`old slices are not dropped: ${NEEDS_SESSION}`);
    isWarned = true;
    return (await selectRetentions(connection, now())).length === 0;
  }

  async function check(signal: AbortSignal): Promise<void> {
    let failed = true;
    try {
      failed = !(await withConnection({ databaseUrl, signal }, 'retention', async (connection) => {
        const dropping = { connection, log, tally, now, lockMs, signal };
        // Events need no lock, so they are dropped behind a pooler, too.
        const areEventsGood = await dropEvents(dropping);
        const areSlicesGood = isTransactionPooled(connection)
          ? await leaveUndone(connection)
          : await dropSlices(dropping);
        const isAuditGood = await dropAudit(dropping, auditDays);
        return areEventsGood && areSlicesGood && isAuditGood;
      }));
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'no context could be looked at for retention');
    }
    // An abort by shutdown is not a failure, and is not counted.
    if (!signal.aborted) tally.noteRun({ endedAt: clock() / 1000, failed });
  }

  return workInBackground(check, delays, log);
}

type Dropping = {
  readonly connection: Connection;
  readonly log: Logger;
  readonly tally: RetentionTally;
  readonly now: () => number;
  readonly lockMs: number;
  readonly signal: AbortSignal;
};

/** Drops the expired events of all contexts; returns whether all could be dropped. */
async function dropEvents(dropping: Dropping): Promise<boolean> {
  const { connection, log, tally, now, signal } = dropping;
  let isGood = true;
  const by = serverActor();
  for (const { name: context, ...retention } of await selectEventRetentions(connection, now())) {
    try {
      const events = await dropExpiredEvents({
        ...retention,
        context,
        connection,
        now,
        by,
        signal,
      });
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

/** Drops the expired rows of the audit; returns whether they could be dropped. */
async function dropAudit({ connection, log, signal }: Dropping, days: number): Promise<boolean> {
  try {
    while (await selectHasExpiredAudit(connection, days)) {
      signal.throwIfAborted();
      await deleteExpiredAudit(connection, days, LIMITS.droppedEvents);
    }
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    log.error({ err: error }, 'old rows of the audit could not be dropped');
    return false;
  }
}

/** Drops the expired slices of all contexts; returns false if any context failed. */
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
  if (!(await selectIsPrimary(connection))) return isGood;
  const refused = await removeTakenPartitions(connection, { signal });
  if (refused.length > 0) log.error({ refused }, REFUSED_REMOVAL);
  return isGood && refused.length === 0;
}

async function dropOf(
  { connection, log, tally, now, lockMs, signal }: Dropping,
  { contextId, name: context, retentionDays }: Retention,
): Promise<void> {
  const by = serverActor();
  const keeper: Keeper = { connection, contextId, context, retentionDays, now, by, signal };
  const selection = expiredSelection(retentionDays, now());
  const { slices } = await planSlices(keeper, 'drop', selection);
  for (const chosen of slices) {
    const slice = await dropSlice(keeper, chosen, lockMs);
    // Another process holds the context or has dropped the slice: the next pass retries.
    if (slice === null) return;
    tally.droppedSlices += 1;
    const { name, archived } = slice;
    log.info({ context, slice: name, archived, retentionDays }, 'a slice was too old and dropped');
  }
}
