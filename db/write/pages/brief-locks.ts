import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../../connection/connection.ts';
import { errorCode, LOCK_NOT_AVAILABLE } from '../../database-error.ts';

/** How long others may have to wait for a table of pages because of us. */
const LOCK_MS = 100;

/**
 * Limits how long each statement of the open transaction waits for a lock: whoever comes later has
 * to wait behind it, even to read.
 */
export const lockBriefly = async (connection: Connection): Promise<void> => {
  await connection.query(`set local lock_timeout = ${LOCK_MS}`);
};

/**
 * Returns whether a lock did not become available in time, or whether Citus, which looks for
 * deadlocks itself, took the wait for one.
 */
export const isLockMissed = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(errorCode(error) ?? '');

const DEADLOCK_DETECTED = '40P01';

/** Await it between two attempts. */
export const letOthersGoFirst = (): Promise<void> => delay(LOCK_MS);
