import type { PoolClient } from 'pg';
import { serviceError } from '../../domain/errors.ts';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import { announcedPid, BACKEND_PID } from '../connection/backend-pid.ts';
import type { Connection } from '../connection/connection.ts';
import { isCanceled, isReadOnly, isRecoveryConflict, toServiceError } from '../database-error.ts';
import { setSessionName } from './begin-text.ts';
import { cancelStatement } from './cancel-statement.ts';
import {
  type Deadline,
  graceDeadline,
  isPast,
  STOPPED,
  stopSignal,
  timedOut,
  within,
} from './deadline.ts';
import { connectWithin, type NodePool } from './node-pools.ts';

export type ChangeOptions = {
  readonly pool: NodePool;
  /** The name under which the transaction is counted and traced. */
  readonly name: string;
  /** Called when the transaction begins and ends. */
  readonly onWork?: WorkObserver;
  /** Shown by PostgreSQL with the statements of the transaction. */
  readonly requestId: string | null;
  /** null: no time limit. */
  readonly deadline: Deadline | null;
  /** Aborted when the caller has gone; what is not committed by then is rolled back. */
  readonly signal: AbortSignal;
};

/**
 * Runs `work`, which changes stored data, in one transaction on its own connection. If the time
 * limit passes or the caller goes away, the running statement is cancelled through a second
 * connection. Errors: service errors, or a defect as it is. After `unreachable`, it is unknown
 * whether a commit that was in progress succeeded.
 */
export async function inChange<T>(
  options: ChangeOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { onWork = unobserved, name } = options;
  const end = onWork('statement', name);
  try {
    const result = await attempt(options, work);
    end();
    return result;
  } catch (error) {
    end(error);
    throw explain(error, options);
  }
}

async function attempt<T>(
  options: ChangeOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { pool, deadline, signal } = options;
  signal.throwIfAborted();
  const client = await connect(options);
  let pid = pool.pooler.isPresent ? null : announcedPid(client);
  const transact = async (): Promise<T> => {
    pid = await begin(client, options);
    const result = await work(client);
    // The cancel may come too late for the last statement: what was given up is not committed.
    signal.throwIfAborted();
    if (isPast(deadline)) throw timedOut(deadline);
    await client.query('commit');
    return result;
  };
  let isUsable = true;
  const { stop, cleanUp } = stopSignal(signal, deadline);
  const running = transact();
  try {
    if ((await Promise.race([running, stop])) === STOPPED) {
      isUsable = await cancelStatement(pool.control, { client, pid, running });
    }
    return await running;
  } catch (error) {
    isUsable &&= await rollBack(client);
    throw error;
  } finally {
    cleanUp();
    client.release(!isUsable);
  }
}

async function connect({ pool, deadline }: ChangeOptions): Promise<PoolClient> {
  if (isPast(deadline)) throw timedOut(deadline);
  return connectWithin(pool, (connecting) => within(connecting, deadline));
}

/** Whatever is set for the role, NULL in parameters that are arrays means null. */
const BEGIN = 'begin isolation level read committed; set local array_nulls = on';

/**
 * Begins the transaction, and returns its server process, which behind a pooler only the
 * transaction knows.
 */
async function begin(client: PoolClient, { requestId }: ChangeOptions): Promise<number | null> {
  const parts = [BEGIN, setSessionName(requestId), BACKEND_PID];
  const results: unknown = await client.query(parts.filter((part) => part !== null).join('; '));
  const [row] = (results as readonly { rows: readonly { pid: number }[] }[]).at(-1)?.rows ?? [];
  return row?.pid ?? null;
}

/** Rolls back. Returns false if the connection is no longer usable. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await within(client.query('rollback'), graceDeadline());
    return true;
  } catch {
    // The original error says more.
    return false;
  }
}

function explain(error: unknown, { pool, signal, deadline }: ChangeOptions): unknown {
  if (signal.aborted) return signal.reason;
  if (deadline && (isCanceled(error) || isPast(deadline))) return timedOut(deadline);
  const options = { cause: error, node: pool.node.name };
  if (isReadOnly(error)) return serviceError('readOnly', {}, options);
  // Another transaction changed the same data at the same time, and one of the two had to give way.
  if (isRecoveryConflict(error)) return serviceError('busy', {}, options);
  return toServiceError(error, pool.node) ?? error;
}
