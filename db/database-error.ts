import { ServiceError, serviceError } from '../domain/errors.ts';

/** SQLSTATE of an error of PostgreSQL, or Node's code of a network error; null for anything else. */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

const QUERY_CANCELED = '57014';

/** A standby cancelled the query to go on replaying: serialization_failure, deadlock_detected. */
const RECOVERY_CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
]);

/** What pg says, without a code, when a connection was lost or could not be made in time. */
const LOST_CONNECTION =
  /connection (terminated|ended|timeout)|timeout expired|query read timeout|not queryable/i;

/** What pg-pool says when all its connections stayed busy for too long. */
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect';

export const isCanceled = (error: unknown): boolean => errorCode(error) === QUERY_CANCELED;

export const isRecoveryConflict = (error: unknown): boolean =>
  RECOVERY_CONFLICTS.has(errorCode(error) ?? '');

/** Whether a node refused a change as it is a standby, or set to read only. */
export const isReadOnly = (error: unknown): boolean => errorCode(error) === '25006';

/** Whether a table of such a name is not there: undefined_table. */
export const isMissingTable = (error: unknown, name: RegExp): boolean =>
  errorCode(error) === '42P01' && error instanceof Error && name.test(error.message);

/** Whether Citus refuses to make a table beside shards that it is just moving; it has no code. */
export const isShardMove = (error: unknown): boolean =>
  error instanceof Error && (SHARD_MOVE.test(error.message) || isShardMove(error.cause));

const SHARD_MOVE = /^could not acquire the lock required to colocate distributed table /;

/**
 * Whether a pooler gave a connection to another server process than the one that knows its prepared
 * statements: 42P05, the name is taken there; 26000, it is not known; 08P01, it is another one's.
 */
export function isLostStatement(error: unknown): boolean {
  const code = errorCode(error);
  if (code === '42P05' || code === '26000') return true;
  return code === '08P01' && error instanceof Error && /prepared statement/.test(error.message);
}

/**
 * Whether the node could not be talked to at all: refused, lost, shutting down (class 57P),
 * a connection exception (class 08), refused credentials (class 28), no such database (3D000),
 * or out of connections (53300).
 */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const code = errorCode(error);
  if (code !== null) {
    return NETWORK_CODES.has(code) || /^(08|57P|28|3D000|53300)/.test(code);
  }
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

/** What makes a connection impossible, and is not met on one that there is. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether no connection to the node could be made: whoever else tries now fails as well. */
export function isNoConnection(error: unknown): boolean {
  if (error instanceof ServiceError) return isNoConnection(error.cause);
  if (error instanceof AggregateError) return error.errors.some(isNoConnection);
  const code = errorCode(error);
  if (code !== null) return NOT_CONNECTED.has(code);
  return error instanceof Error && /due to connection timeout/.test(error.message);
}

/**
 * Whether work that failed may succeed when it is tried again: the node is away, in recovery, not
 * yet or no longer the primary (25006), short of disk, memory or connections (class 53), or ended
 * the statement for the sake of another one or of its operator; or Citus moves a shard.
 */
export function isPassing(error: unknown): boolean {
  if (isShardMove(error)) return true;
  if (isUnreachable(error) || isRecoveryConflict(error) || isCanceled(error)) return true;
  return /^(53|25006|55P03|ERR_STREAM_)/.test(errorCode(error) ?? '');
}

/** The error of the one table that `error` means to a caller; null when it is a defect of ours. */
export function toServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && error.message === POOL_EXHAUSTED) {
    return serviceError('busy', {}, { cause: error });
  }
  if (isUnreachable(error)) return serviceError('unreachable', {}, { cause: error });
  if (isRecoveryConflict(error)) return serviceError('conflict', {}, { cause: error });
  return null;
}
