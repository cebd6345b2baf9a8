import type { Connection } from '../../connection/connection.ts';

/**
 * Lets the commit of the open transaction return before it is flushed to disk. Use it only if a
 * crash may undo the transaction as a whole: everything committed later is undone with it, or not
 * at all.
 */
export const commitLate = (connection: Connection) =>
  connection.query('set local synchronous_commit = off');
