import { CONTEXT_MERGE_LOCK, PARTITION_REMOVAL_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import { lockContext } from '../connection/lock-context.ts';
import { PAGE_LOCKS, PAGE_TABLES, PARTITION_PATTERNS, type PageTable } from '../page-tables.ts';
import { isLockMissed, letOthersGoFirst, lockBriefly } from './page-partitions.ts';

/** A partition of pages, and its size in bytes with its indexes. */
type PartitionSize = { readonly name: string; readonly bytes: number };

/** The progress of a move, by finished partitions. */
export type MoveProgress = { readonly bytes: number; readonly of: number };

export type MoveOptions = {
  readonly partitions: readonly PartitionSize[];
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
};

type DistributionOptions = MoveOptions & {
  readonly signal?: AbortSignal | undefined;
  /** Called before waiting for transactions that have been reading pages since before. */
  readonly onReaders?: (() => void) | undefined;
};

/**
 * Distributes the tables of pages with all their content, in the open transaction. Readers continue
 * until its end, which waits for those that still read the local pages. Pages of a segment are
 * stored together, because they are read together. No other table shares their shards, so that
 * Citus may move them alone.
 */
export const distributeTables = (
  connection: Connection,
  shards: number,
  options: DistributionOptions,
): Promise<void> =>
  watched(connection, options, async () => {
    const [first, ...others] = PAGE_TABLES;
    await connection.query(
      `select create_distributed_table('${first}', 'segment_id', shard_count => $1::int,
         colocate_with => 'none')`,
      [shards],
    );
    for (const table of others) {
      await connection.query(
        `select create_distributed_table('${table}', 'segment_id', colocate_with => '${first}')`,
      );
    }
    await emptyLocalTables(connection, options);
  });

/**
 * Citus keeps a local copy of what it moved to the workers. Earlier transactions may still read it;
 * afterwards nobody does.
 */
async function emptyLocalTables(
  connection: Connection,
  { signal, onReaders = () => {} }: DistributionOptions,
): Promise<void> {
  await lockBriefly(connection);
  await connection.query('savepoint not_emptied');
  let isWaiting = false;
  for (;;) {
    try {
      for (const table of PAGE_TABLES) {
        await connection.query(`select truncate_local_data_after_distributing_table('${table}')`);
      }
      return;
    } catch (error) {
      if (!isLockMissed(error)) throw error;
      // This also releases the locks that were available.
      await connection.query('rollback to savepoint not_emptied');
    }
    signal?.throwIfAborted();
    if (!isWaiting) onReaders();
    isWaiting = true;
    await letOthersGoFirst();
  }
}

/** Undoes the distribution, in the open transaction. Readers have to wait until its end. */
export const undistributeTables = (connection: Connection, options: MoveOptions): Promise<void> =>
  watched(connection, options, async () => {
    for (const table of PAGE_TABLES) {
      await connection.query(`select undistribute_table('${table}')`);
    }
    // Restores the setting of page-partitions.ts, which Citus loses.
    for (const { name } of options.partitions) {
      if (!new RegExp(PARTITION_PATTERNS.open_segment_pages).test(name)) continue;
      await connection.query(`alter table ${name} set (autovacuum_enabled = false)`);
    }
  });

type Notice = { readonly message?: string | undefined; readonly hint?: string | undefined };

/** Reports progress, from the notices of Citus about each partition. */
async function watched(
  connection: Connection,
  { partitions, onProgress }: MoveOptions,
  work: () => Promise<void>,
): Promise<void> {
  const of = partitions.reduce((sum, { bytes }) => sum + bytes, 0);
  const left = new Map(partitions.map(({ name, bytes }) => [name, bytes]));
  let done = 0;
  const onNotice = ({ message = '', hint = '' }: Notice): void => {
    const name = /(?:dropping the old|table\(\$\$)\s*\S*?(\w+_pages_\d+(?:_\d+)?)\b/.exec(
      `${message} ${hint}`,
    )?.[1];
    if (name === undefined) return;
    done += left.get(name) ?? 0;
    left.delete(name);
    onProgress?.({ bytes: done, of });
  };
  connection.on('notice', onNotice);
  try {
    await work();
  } finally {
    connection.off('notice', onNotice);
  }
}

/** Returns the number of shards of a table of pages; null: the tables are not distributed. */
export async function selectShardCount(connection: Connection): Promise<number | null> {
  const { rows } = await connection.query<{ shards: number }>(
    `select count(*)::int as shards from pg_dist_shard
     where logicalrelid = '${PAGE_TABLES[0]}'::regclass`,
  );
  const shards = rows[0]?.shards ?? 0;
  return shards > 0 ? shards : null;
}

/** Selects the partitions of pages with their sizes. sizeOf: the function that measures one. */
export async function selectPartitionSizes(
  connection: Connection,
  sizeOf: 'pg_total_relation_size' | 'citus_total_relation_size',
): Promise<PartitionSize[]> {
  const { rows } = await connection.query<PartitionSize>(
    `select c.relname as name, ${sizeOf}(c.oid)::float8 as bytes
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = any(array[${PAGE_TABLES.map(asClass).join(', ')}]) order by c.oid`,
  );
  return rows;
}

/** Returns whether a detach of a partition was begun and not finished. */
export async function selectIsDetaching(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isDetaching: boolean }>(
    `select exists (select from pg_inherits where inhdetachpending
       and inhparent = any(array[${PAGE_TABLES.map(asClass).join(', ')}])) as "isDetaching"`,
  );
  return rows[0]?.isDetaching ?? false;
}

const asClass = (table: PageTable): string => `'${table}'::regclass`;

/**
 * Locks out everything that writes pages of any context or removes partitions, until the end of the
 * transaction: imports, the archiving, restoring and dropping of slices, merges. Calls `onWaiting`
 * with the name of each context before it waits for that context.
 */
export async function lockStore(
  connection: Connection,
  onWaiting: (context: string) => void,
): Promise<void> {
  const { rows } = await connection.query<{ contextId: number; name: string }>(
    'select context_id as "contextId", name from contexts order by context_id',
  );
  for (const { contextId, name } of rows) {
    await lockContext(connection, contextId, () => onWaiting(name));
    await lock(connection, CONTEXT_MERGE_LOCK, contextId);
  }
  for (const table of PAGE_TABLES) {
    await lock(connection, PARTITION_REMOVAL_LOCK, PAGE_LOCKS[table].removal);
  }
}

const lock = (connection: Connection, lockClass: number, id: number) =>
  connection.query('select pg_advisory_xact_lock($1, $2)', [lockClass, id]);

/** What a database reports about Citus. */
export type ClusterFacts = {
  /** Whether its files are on the machine. */
  readonly isAvailable: boolean;
  /** Whether it is an extension of this database. */
  readonly isInstalled: boolean;
  /** Whether the server loaded it when it started. */
  readonly isLoaded: boolean;
};

export async function selectClusterFacts(connection: Connection): Promise<ClusterFacts> {
  const { rows } = await connection.query<ClusterFacts>(
    `select exists (select from pg_available_extensions where name = 'citus') as "isAvailable",
       exists (select from pg_extension where extname = 'citus') as "isInstalled",
       current_setting('citus.shard_count', true) is not null as "isLoaded"`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('a select without a table gives a row');
  return facts;
}

/** What Citus reports about its nodes. Only if it is installed and loaded. */
export type ClusterNodes = {
  readonly isCoordinator: boolean;
  /** Whether the coordinator keeps shards of its own. */
  readonly coordinatorHasShards: boolean;
  /** Active workers that may be given shards. */
  readonly workers: number;
};

export async function selectClusterNodes(connection: Connection): Promise<ClusterNodes> {
  const { rows } = await connection.query<ClusterNodes>(
    `select coalesce((select groupid = 0 from pg_dist_local_group), true) as "isCoordinator",
       exists (${NODES} and groupid = 0) as "coordinatorHasShards",
       (select count(*)::int from (${NODES} and groupid <> 0) as workers) as workers`,
  );
  const [nodes] = rows;
  if (!nodes) throw new Error('a select without a table gives a row');
  return nodes;
}

const NODES = `select from pg_dist_node
  where noderole = 'primary' and isactive and shouldhaveshards`;
