import { type Connection, inTransaction } from '../../connection/connection.ts';
import { oldPartitionName } from './old-tables.ts';

/** A partition, or a table that was one, and the slice whose samples it holds. */
type OldPartition = { readonly sliceId: number; readonly isNeeded: boolean };

/**
 * Selects the partitions of samples. Those of slices that were archived by hand are needed: nobody
 * knows where else their samples are.
 */
async function selectOldPartitions(connection: Connection): Promise<OldPartition[]> {
  const { rows } = await connection.query<OldPartition>(
    `select substr(c.relname, 9)::int as "sliceId", exists (
       select from slices s where s.slice_id = substr(c.relname, 9)::int
         and s.archived and s.archive_digest is null) as "isNeeded"
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'samples'::regclass and c.relname ~ '^samples_[0-9]{1,9}$'
     order by 1`,
  );
  return rows;
}

/**
 * Returns whether there are samples of slices that were archived by hand, in attached or detached
 * tables.
 */
async function selectHasNeeded(connection: Connection): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select from slices where archived and archive_digest is null
       and to_regclass('samples_' || slice_id) is not null limit 1`,
  );
  return rowCount !== 0;
}

/**
 * Drops the tables and columns of version 0.7, partition by partition, because each takes its own
 * locks and a server has a limited number. Until then, a program that still writes to them gets an
 * error that says why (freeze-old-tables.ts). Samples of slices that were archived by hand stay as
 * separate tables, and `keys` then stays too. If it is interrupted, it can be run again.
 */
export async function dropOldTables(connection: Connection): Promise<void> {
  for (const { sliceId, isNeeded } of await selectOldPartitions(connection)) {
    const name = oldPartitionName(sliceId);
    await connection.query(
      isNeeded ? `alter table samples detach partition ${name}` : `drop table ${name}`,
    );
  }
  const keepsKeys = await selectHasNeeded(connection);
  await inTransaction(connection, async () => {
    await connection.query(
      `drop table samples, topper_blocks, key_series, coarse_blocks, block_changes,
         converted_slices, converted_texts;
       alter table counter_groups drop column shard_count;
       alter table slices drop column packed`,
    );
    if (!keepsKeys) await connection.query('drop table keys; drop function refuse_old_writes()');
  });
}
