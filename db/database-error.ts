import { type ErrorKind, ServiceError, serviceError } from '../domain/errors.ts';

/**
 * Returns the SQLSTATE of a PostgreSQL error, or Node's code of a network error; null for anything
 * else.
 */
export function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

const QUERY_CANCELED = '57014';

/** A lock did not become available within the role's `lock_timeout`, or ours. */
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * A standby cancelled the query to continue its replay: serialization_failure, deadlock_detected.
 */
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
]);

/** A Unix socket is missing, or closed to us. Of other files, these codes say nothing here. */
const isSocketFault = (error: unknown): boolean =>
  /^(ENOENT|EACCES)$/.test(errorCode(error) ?? '') &&
  error instanceof Error &&
  'syscall' in error &&
  error.syscall === 'connect';

/** Messages of pg, without a code, when a connection was lost or could not be opened in time. */
const LOST_CONNECTION =
  /connection (terminated|ended|timeout)|timeout expired|query read timeout|not queryable/i;

/** Message of pg-pool when all its connections stayed busy for too long. */
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect';

/** Returns whether a server takes no more connections, perhaps of a role: too_many_connections. */
export const isOutOfConnections = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(isOutOfConnections)
    : errorCode(error) === '53300';

/** Returns whether all connections of a pool stayed busy for too long. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === POOL_EXHAUSTED;

export const isCanceled = (error: unknown): boolean => errorCode(error) === QUERY_CANCELED;

export const isRecoveryConflict = (error: unknown): boolean =>
  RECOVERY_CONFLICTS.has(errorCode(error) ?? '');

/** Returns whether a node refused a change because it is a standby, or set to read only. */
export const isReadOnly = (error: unknown): boolean => errorCode(error) === '25006';

/** Returns whether a table of such a name does not exist: undefined_table. */
export function isMissingTable(error: unknown, name: RegExp): boolean {
  if (error instanceof ServiceError) return isMissingTable(error.cause, name);
  return errorCode(error) === '42P01' && error instanceof Error && name.test(error.message);
}

/**
 * Returns whether Citus refused to create a table while it is moving shards; the error has no
 * code.
 */
export const isShardMove = (error: unknown): boolean =>
  error instanceof Error && (SHARD_MOVE.test(error.message) || isShardMove(error.cause));

const SHARD_MOVE = /^could not acquire the lock required to colocate distributed table /;

/**
 * Returns whether a pooler moved a connection to another server process than the one that knows its
 * prepared statements. 42P05: the name is taken there; 26000: it is unknown there; 08P01: it
 * belongs to another statement.
 */
export function isLostStatement(error: unknown): boolean {
  const code = errorCode(error);
  if (code === '42P05' || code === '26000') return true;
  return code === '08P01' && error instanceof Error && /prepared statement/.test(error.message);
}

/**
 * Returns whether the node could not be reached at all: connection refused, lost, shutting down
 * (class 57P), a connection exception (class 08), refused credentials (class 28), no such database
 * (3D000), or out of connections (53300).
 */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const code = errorCode(error);
  if (code !== null) {
    return NETWORK_CODES.has(code) || isSocketFault(error) || /^(08|57P|28|3D000|53300)/.test(code);
  }
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

/** Codes of errors that prevent a connection, and do not occur on an open one. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Returns whether no connection to the node could be opened, so that other attempts fail now as
 * well.
 */
export function isNoConnection(error: unknown): boolean {
  if (error instanceof ServiceError) return isNoConnection(error.cause);
  if (error instanceof AggregateError) return error.errors.some(isNoConnection);
  const code = errorCode(error);
  if (code !== null) return NOT_CONNECTED.has(code);
  return error instanceof Error && /due to connection timeout/.test(error.message);
}

/**
 * Returns whether failed work may succeed on a retry: the node is away, in recovery, not yet or no
 * longer the primary (25006), short of disk, memory or connections (class 53), or ended the
 * statement in favour of another one or for its operator; or Citus is moving a shard.
 */
export function isPassing(error: unknown): boolean {
  if (isShardMove(error)) return true;
  if (isUnreachable(error) || isRecoveryConflict(error) || isCanceled(error)) return true;
  return /^(53|25006|55P03|ERR_STREAM_)/.test(errorCode(error) ?? '');
}

/** The node on which a statement failed. */
export type FailedNode = {
  readonly name: string;
  readonly isPrimary: boolean;
};

/** Returns the service error that `error` means to a caller; null if it is a defect of ours. */
export function toServiceError(error: unknown, node: FailedNode | null): ServiceError | null {
  if (error instanceof ServiceError) return error;
  const kind = kindOf(error) ?? (node?.isPrimary === false ? unfitnessOf(error) : null);
  return kind && serviceError(kind, {}, { cause: error, node: node?.name });
}

function kindOf(error: unknown): ErrorKind | null {
  if (isPoolExhausted(error)) return 'busy';
  if (isUnreachable(error)) return 'unreachable';
  if (isRecoveryConflict(error)) return 'conflict';
  return errorCode(error) === LOCK_NOT_AVAILABLE ? 'busy' : null;
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns whether the role of the connection lacks a right. */
export const isForbidden = (error: unknown): boolean => errorCode(error) === INSUFFICIENT_PRIVILEGE;

/** undefined_table, undefined_column, undefined_function. */
const UNDEFINED: ReadonlySet<string> = new Set(['42P01', '42703', '42883']);

/**
 * Returns what a node other than the primary lacks. `serve` and `migrate` prepare the primary, and
 * only replication and its operator prepare the others.
 */
function unfitnessOf(error: unknown): ErrorKind | null {
  const code = errorCode(error) ?? '';
  if (UNDEFINED.has(code)) return 'nodeBehind';
  return isForbidden(error) ? 'nodeRights' : null;
}
