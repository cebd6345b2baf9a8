import { type OpenConnection, openConnection } from '../../db/connection/connection.ts';
import { endConnection } from '../../db/connection/end-connection.ts';
import { isPassing } from '../../db/database-error.ts';
import { selectHasUnlogged, updateLogged, upsertFailedSignIns } from '../../db/sql/audit.ts';
import { selectUpkeep } from '../../db/sql/server-state.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { FailedSignIns } from '../admission/failed-sign-ins.ts';
import { logAudit } from '../telemetry/audit.ts';
import type { Logger } from '../telemetry/log.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';

export type KeepAuditOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly failedSignIns: FailedSignIns;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
};

const DELAYS = { firstMs: LIMITS.auditEveryMs, everyMs: LIMITS.auditEveryMs };

/**
 * Writes failed sign-ins to the audit, and logs its rows, each once: those that commands on any
 * machine have written, also while no server ran.
 */
export function keepAudit(options: KeepAuditOptions): BackgroundWork {
  // A default for undefined only: null means without timers.
  const { databaseUrl, log, failedSignIns, delays = DELAYS } = options;
  let connection: OpenConnection | null = null;
  let isWarned = false;

  async function close(): Promise<void> {
    const client = connection;
    connection = null;
    if (client) await endConnection(client).catch(() => undefined);
  }

  /** Where the audit cannot be written, the log of requests tells of failures. */
  const mayWrite = async (to: OpenConnection): Promise<boolean> =>
    (await selectUpkeep(to)) === 'keeps';

  async function writeFailed(to: OpenConnection): Promise<void> {
    const { failed, ageSeconds } = failedSignIns.take();
    if (failed.length === 0) return;
    try {
      if (await mayWrite(to)) await upsertFailedSignIns(to, { failed, ageSeconds });
    } catch (error) {
      failedSignIns.add(failed);
      throw error;
    }
  }

  async function check(): Promise<void> {
    try {
      const statementMs = LIMITS.alertStatementMs;
      connection ??= await openConnection(databaseUrl, 'audit', { statementMs });
      await writeFailed(connection);
      while ((await selectHasUnlogged(connection)) && (await mayWrite(connection))) {
        for (const row of await updateLogged(connection, LIMITS.auditRows)) logAudit(log, row);
      }
      isWarned = false;
    } catch (err) {
      // Whatever the error, the next pass opens a new connection.
      await close();
      // Others report a database that is away.
      const level = isPassing(err) || isWarned ? 'debug' : 'error';
      log[level]({ err }, 'the audit cannot be written or logged; it is retried until it can be');
      isWarned ||= level === 'error';
    }
  }

  const work = workInBackground(check, delays, log);
  return {
    runOnce: work.runOnce,
    async stop() {
      await work.stop();
      // What failed in the last second.
      if (connection) await check();
      await close();
    },
  };
}
