import { type Connection, inTransaction } from './connection.ts';

/** The partition of `samples` that holds a slice. sliceId is a number of our own, never input. */
export const partitionName = (sliceId: number): string => `samples_${sliceId}`;

/**
 * Makes the partition of a slice, in a transaction of its own. CREATE TABLE … PARTITION OF would
 * lock `samples` against everything, and so wait for and hold up all readers; a table that is made
 * first and attached then takes a lock that readers and other imports do not meet.
 */
export const createPartition = (connection: Connection, sliceId: number): Promise<void> =>
  inTransaction(connection, async () => {
    const name = partitionName(sliceId);
    await connection.query(`create table ${name} (like samples including all)`);
    await connection.query(
      `alter table samples attach partition ${name} for values in (${sliceId})`,
    );
  });
