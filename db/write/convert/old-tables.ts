import type { Connection } from '../../connection/connection.ts';

/** Tables with rows of version 0.7. Both names are our own, never input. */
export type OldTables = {
  /** Has only the samples of one slice. */
  readonly samples: string;
  readonly keys: string;
};

/** Returns the partition of `samples` that holds a slice, and the table of all keys. */
export const oldTablesOf = (sliceId: number): OldTables => ({
  samples: oldPartitionName(sliceId),
  keys: 'keys',
});

/** sliceId is a number of our own, never input. */
export const oldPartitionName = (sliceId: number): string => `samples_${sliceId}`;

/**
 * Returns whether the tables of version 0.7 exist. They are dropped at the end, the last of them
 * together with the table that records what is converted. That table is checked because nobody else
 * uses its name.
 */
export const selectHasOldTables = (connection: Connection): Promise<boolean> =>
  selectIsTable(connection, 'converted_slices');

export async function selectIsTable(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.query<{ isThere: boolean }>(
    'select to_regclass($1) is not null as "isThere"',
    [name],
  );
  return rows[0]?.isThere ?? false;
}

/** Returns the number of blocks of 8 KiB of a table. */
export async function selectBlockCount(connection: Connection, table: string): Promise<number> {
  const { rows } = await connection.query<{ blocks: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 as blocks`,
    [table],
  );
  return rows[0]?.blocks ?? 0;
}
