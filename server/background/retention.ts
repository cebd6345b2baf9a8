import { type Connection, isTransactionPooled } from '../../db/connection/connection.ts';
import { NEEDS_SESSION } from '../../db/connection/pooling.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { selectEventRetentions } from '../../db/sql/alert-retention.ts';
import { type Retention, selectRetentions } from '../../db/sql/archived-slices.ts';
import { deleteExpiredAudit, selectHasExpiredAudit, serverActor } from '../../db/sql/audit.ts';
import { foldExporters } from '../../db/sql/exporter-retention.ts';
import { REFUSED_REMOVAL, removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { selectUpkeep } from '../../db/sql/server-state.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ArchiveSession } from '../../store/archive/archive-session.ts';
import { compareClocks } from '../../store/archive/clocks.ts';
import { dropSlice } from '../../store/archive/drop-slice.ts';
import { dropExpiredEvents } from '../../store/archive/expired-events.ts';
import { planSlices } from '../../store/archive/plan-slices.ts';
import type { Logger } from '../telemetry/log.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';

export type KeepRetentionOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** The clock of this machine, milliseconds since the epoch. */
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
 * primary. It also frees the space of what was archived or dropped while readers still used it, and
 * adds up what collectors that have ended knew of exporters. It locks a context for only one slice
 * at a time. If an import holds the lock for long, it retries on a later pass.
 *
 * What is too old is decided by the database's clock and the newest data
 * (db/sql/archived-slices.ts). Nothing is dropped while the clock of this machine says
 * something else than the database's: one of them is wrong, and what is dropped does not come back.
 */
export function keepRetention(options: KeepRetentionOptions): BackgroundWork {
  const { databaseUrl, log, tally = new RetentionTally(), delays = DELAYS } = options;
  const { clock = Date.now, lockMs = LIMITS.retentionLockMs, auditDays } = options;
  const ownSeconds = () => Math.floor(clock() / 1000);

  let isOff = false;
  let isWarned = false;
  let isStopped = false;

  /** A pooler loses the lock that keeps imports out. Returns false if slices are left to drop. */
  async function leaveUndone(connection: Connection): Promise<boolean> {
    if (!isWarned) log.warn(`old slices are not dropped: ${NEEDS_SESSION}`);
    isWarned = true;
    return (await selectRetentions(connection)).length === 0;
  }

  /** Logs a difference of the clocks once, and that it is over. */
  function noteClocks(difference: string | null): void {
    if (difference !== null && !isStopped) {
      log.error(`nothing is dropped for its age, because two clocks differ: ${difference}`);
    }
    if (difference === null && isStopped)
      log.info('the clocks agree: old slices are dropped again');
    isStopped = difference !== null;
  }

  /** Returns whether everything was dropped and removed that should be. */
  async function work(connection: Connection, signal: AbortSignal): Promise<boolean> {
    const upkeep = await selectUpkeep(connection);
    if (upkeep === 'reads' && !isOff) log.warn(NO_UPKEEP);
    isOff = upkeep === 'reads';
    if (upkeep !== 'keeps') return true;
    const { database, difference } = await compareClocks(connection, ownSeconds);
    noteClocks(difference);
    const dropping = { connection, log, tally, now: () => database, lockMs, signal };
    const isDropped = difference === null && (await dropOld(dropping));
    const isDone = (await addUpExporters(dropping)) && isDropped;
    if (isTransactionPooled(connection)) return isDone;
    return (await removePartitions(dropping)) && isDone;
  }

  async function dropOld(dropping: Dropping): Promise<boolean> {
    const { connection } = dropping;
    // Events need no lock, so they are dropped behind a pooler, too.
    const areEventsGood = await dropEvents(dropping);
    const areSlicesGood = isTransactionPooled(connection)
      ? await leaveUndone(connection)
      : await dropSlices(dropping);
    const isAuditGood = await dropAudit(dropping, auditDays);
    return areEventsGood && areSlicesGood && isAuditGood;
  }

  async function check(signal: AbortSignal): Promise<void> {
    let failed = true;
    try {
      failed = !(await withConnection({ databaseUrl, signal }, 'retention', (connection) =>
        work(connection, signal),
      ));
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'no context could be looked at for retention');
    }
    // An abort by shutdown is not a failure, and is not counted.
    if (!signal.aborted) tally.noteRun({ endedAt: clock() / 1000, failed });
  }

  return workInBackground(check, delays, log);
}

/** All background work finds this out for itself; only one of them has to say so. */
const NO_UPKEEP =
  'upkeep is off, because the role in DATABASE_URL may only read: this server merges and drops ' +
  'nothing, decides no alerts and sends no notifications; another one must, with the role that ' +
  'owns the tables';

type Dropping = {
  readonly connection: Connection;
  readonly log: Logger;
  readonly tally: RetentionTally;
  /** The database's clock, epoch seconds. */
  readonly now: () => number;
  readonly lockMs: number;
  readonly signal: AbortSignal;
};

/** Drops the expired events of all contexts; returns whether all could be dropped. */
async function dropEvents(dropping: Dropping): Promise<boolean> {
  const { connection, log, tally, signal } = dropping;
  let isGood = true;
  const by = serverActor();
  for (const retention of await selectEventRetentions(connection)) {
    const { contextId, name: context, retentionDays, keptSince } = retention;
    try {
      const session = { connection, contextId, context, by, signal };
      const events = await dropExpiredEvents(session, keptSince);
      tally.droppedEvents += events;
      const facts = { context, events, retentionDays };
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

/** Adds up what ended runs of collectors knew of exporters; returns whether that was possible. */
async function addUpExporters({ connection, log, signal }: Dropping): Promise<boolean> {
  try {
    await foldExporters(connection, LIMITS.listedExporters);
    return true;
  } catch (error) {
    if (signal.aborted) return true;
    log.error({ err: error }, 'what ended collectors knew of exporters could not be added up');
    return false;
  }
}

/** Drops the expired slices of all contexts; returns false if any context failed. */
async function dropSlices(dropping: Dropping): Promise<boolean> {
  const { connection, log, signal } = dropping;
  let isGood = true;
  for (const retention of await selectRetentions(connection)) {
    try {
      await dropOf(dropping, retention);
    } catch (error) {
      if (signal.aborted) return isGood;
      log.error({ err: error, context: retention.name }, 'old slices could not be dropped');
      isGood = false;
    }
  }
  return isGood;
}

/** Frees the space of what was archived or dropped; returns false if any of it cannot be. */
async function removePartitions({ connection, log, signal }: Dropping): Promise<boolean> {
  const refused = await removeTakenPartitions(connection, { signal });
  if (refused.length > 0) log.error({ refused }, REFUSED_REMOVAL);
  return refused.length === 0;
}

async function dropOf(
  { connection, log, tally, now, lockMs, signal }: Dropping,
  { contextId, name: context, retentionDays, keptSince }: Retention,
): Promise<void> {
  const by = serverActor();
  const session: ArchiveSession = {
    connection,
    contextId,
    context,
    retentionDays,
    now,
    by,
    signal,
  };
  const selection = { before: keptSince, names: null, engine: null, pool: null };
  const { slices } = await planSlices(session, 'drop', selection);
  for (const chosen of slices) {
    const slice = await dropSlice(session, chosen, lockMs);
    // Another process holds the context or has dropped the slice: the next pass retries.
    if (slice === null) return;
    tally.droppedSlices += 1;
    const { name, archived } = slice;
    log.info({ context, slice: name, archived, retentionDays }, 'a slice was too old and dropped');
  }
}

/** What retention has done since the server started. */
export class RetentionTally {
  runs = { ok: 0, failed: 0 };
  /** When the last pass ended, in epoch seconds; null: there was none yet. */
  lastAt: number | null = null;
  droppedSlices = 0;
  /** Ended events of alerts. */
  droppedEvents = 0;

  noteRun({ endedAt, failed }: { readonly endedAt: number; readonly failed: boolean }): void {
    this.lastAt = endedAt;
    this.runs[failed ? 'failed' : 'ok'] += 1;
  }
}
