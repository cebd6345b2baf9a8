import { type Connection, inTransaction } from '../../connection/connection.ts';

/** Every transaction of version 0.7 that changes readings or texts writes to these tables. */
const PLAIN_TABLES = ['keys', 'topper_blocks', 'key_series', 'coarse_blocks', 'block_changes'];

/**
 * Makes the tables of version 0.7 refuse writes with an error that names the version that took
 * over. Waits for transactions that write to them. Does nothing if they are already frozen.
 */
export const freezeOldTables = (connection: Connection): Promise<void> =>
  inTransaction(connection, async () => {
    if (await selectIsFrozen(connection)) return;
    for (const table of PLAIN_TABLES) {
      await connection.query(
        `create trigger refuse_old_writes before insert or update or delete or truncate
         on ${table} for each statement execute function refuse_old_writes()`,
      );
    }
    // Imports write directly into partitions. These get row triggers from their parent, also if
    // they are attached later, but no statement triggers.
    await connection.query(
      `create trigger refuse_old_writes before insert or update or delete
       on samples for each row execute function refuse_old_writes()`,
    );
  });

async function selectIsFrozen(connection: Connection): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select from pg_trigger
     where tgrelid = 'samples'::regclass and tgname = 'refuse_old_writes'`,
  );
  return rowCount !== 0;
}
