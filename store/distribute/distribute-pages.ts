import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { requireSession, withConnection } from '../../db/connection/with-connection.ts';
import { PAGE_TABLES } from '../../db/page-tables.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import {
  distributeTables,
  lockStore,
  type MoveProgress,
  selectIsDetaching,
  selectPartitionSizes,
  selectShardCount,
  undistributeTables,
} from '../../db/sql/distribute.ts';
import { removeIdlePartitions } from '../../db/sql/remove-partitions.ts';
import { requireCluster } from './require-cluster.ts';

type DistributeTarget = {
  readonly databaseUrl: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the name of a context whose imports or merges must be waited for. */
  readonly onWaiting?: (context: string) => void;
  /** Called before waiting for what has been reading pages since before they were moved. */
  readonly onReaders?: () => void;
  readonly onProgress?: (progress: MoveProgress) => void;
};

export type DistributeReport = {
  /** False if nothing had to be done. */
  readonly changed: boolean;
  readonly tables: readonly string[];
  /** Of each table; 0 if they are not distributed. */
  readonly shards: number;
  readonly workers: number;
  /** Bytes moved, with indexes. */
  readonly bytes: number;
};

/** With two, Citus can move half of a worker's data to another worker. */
const SHARDS_PER_WORKER = 2;

/**
 * Distributes the pages over the workers of Citus, in one transaction: imports and merges wait for
 * it, readers continue. If it was done already, nothing changes. Errors: in words for the operator.
 */
export const distributePages = (
  target: DistributeTarget & { readonly shards?: number | undefined },
): Promise<DistributeReport> =>
  withConnection(target, 'distribute', async (connection) => {
    const { workers } = await requireCluster(connection);
    const before = await selectShardCount(connection);
    if (before !== null) {
      if (target.shards === undefined || target.shards === before) {
        return { ...NOTHING, shards: before, workers };
      }
      throw new Error(
        `The pages are in ${before} shards already, not in ${target.shards}: bring them back with ` +
          '`countergraph distribute --undo` first',
      );
    }
    const shards = target.shards ?? SHARDS_PER_WORKER * workers;
    return inLockedStore(connection, target, async () => {
      const partitions = await selectPartitionSizes(connection, 'pg_total_relation_size');
      const { onProgress, onReaders, signal } = target;
      const options = { partitions, onProgress, onReaders, signal };
      await distributeTables(connection, shards, options);
      const detail = { shards, workers };
      await insertAudit(connection, [{ action: 'pages distributed', object: 'pages', detail }]);
      return { changed: true, tables: PAGE_TABLES, shards, workers, bytes: sumOf(partitions) };
    });
  });

/** Moves the pages back to the coordinator, in one transaction; readers wait for it too. */
export const undistributePages = (target: DistributeTarget): Promise<DistributeReport> =>
  withConnection(target, 'distribute', async (connection) => {
    const { workers } = await requireCluster(connection);
    if ((await selectShardCount(connection)) === null) return { ...NOTHING, shards: 0, workers };
    return inLockedStore(connection, target, async () => {
      const partitions = await selectPartitionSizes(connection, 'citus_total_relation_size');
      await undistributeTables(connection, { partitions, onProgress: target.onProgress });
      await insertAudit(connection, [{ action: 'pages brought back', object: 'pages' }]);
      return { changed: true, tables: PAGE_TABLES, shards: 0, workers, bytes: sumOf(partitions) };
    });
  });

const NOTHING = { changed: false, tables: PAGE_TABLES, bytes: 0 };

const sumOf = (partitions: readonly { readonly bytes: number }[]): number =>
  partitions.reduce((sum, { bytes }) => sum + bytes, 0);

async function inLockedStore(
  connection: Connection,
  { onWaiting = () => {}, signal }: DistributeTarget,
  work: () => Promise<DistributeReport>,
): Promise<DistributeReport> {
  requireSession(connection, 'The pages cannot be moved');
  // Unneeded partitions are not moved, and half-finished removals are completed.
  await removeIdlePartitions(connection);
  return inTransaction(connection, async () => {
    await lockStore(connection, onWaiting);
    if (await selectIsDetaching(connection)) {
      throw new Error(
        'A partition of pages is being removed, which waits for an earlier reader: ' +
          'try again when it has ended',
      );
    }
    const report = await work();
    // A cancel that arrives between two statements interrupts neither.
    signal?.throwIfAborted();
    return report;
  });
}
