import type { Connection } from '../../connection/connection.ts';

/** Where rows of version 0.7 lie. Both are names of our own, never input. */
export type OldTables = {
  /** Has nothing but the samples of one slice. */
  readonly samples: string;
  readonly keys: string;
};

/** The partition of `samples` that holds a slice, and all keys. */
export const oldTablesOf = (sliceId: number): OldTables => ({
  samples: oldPartitionName(sliceId),
  keys: 'keys',
});

/** sliceId is a number of our own, never input. */
export const oldPartitionName = (sliceId: number): string => `samples_${sliceId}`;

/**
 * Whether the tables of version 0.7 are there. At the end they are dropped, and with the last of
 * them the one that says what is converted: its name is one that nobody else gives to a table.
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

/** How many blocks of 8 KiB a table has. */
export async function selectBlockCount(connection: Connection, table: string): Promise<number> {
  const { rows } = await connection.query<{ blocks: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::float8 as blocks`,
    [table],
  );
  return rows[0]?.blocks ?? 0;
}
