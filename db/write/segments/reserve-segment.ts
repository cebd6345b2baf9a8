import type { Connection } from '../../connection/connection.ts';
import { pagePartitionName, pagePartitionOf, type SegmentToPlace } from '../../page-tables.ts';
import { lockPagePartition } from '../pages/keep-page-partition.ts';

/**
 * The id of a new segment, which no other segment has or had. isReady: there is a partition for its
 * pages.
 */
export type ReservedSegment = { readonly segmentId: number; readonly isReady: boolean };

/**
 * Reserves an id for a new segment. Until the end of the transaction, nobody removes the partition
 * for its pages: it is locked before it is looked up.
 */
export async function reserveSegment(
  connection: Connection,
  place: SegmentToPlace,
): Promise<ReservedSegment> {
  const partition = pagePartitionOf(place);
  await lockPagePartition(connection, partition);
  const { rows } = await connection.query<ReservedSegment>(
    `select nextval('segment_ids')::float8 as "segmentId",
       exists (select from pg_inherits where inhrelid = to_regclass($1) and not inhdetachpending)
         as "isReady"`,
    [pagePartitionName(partition)],
  );
  const [reserved] = rows;
  if (!reserved) throw new Error('a sequence always has a next number');
  return reserved;
}
