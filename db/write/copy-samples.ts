import { copyRows } from './binary-copy.ts';
import type { Connection } from './connection.ts';
import { partitionName } from './create-partition.ts';
import { encodeSamples, type SampleRows } from './encode-samples.ts';

/**
 * Appends rows to the partition of a slice, which is there. Straight into it: PostgreSQL need not
 * find the partition of every row, only check that it is the right one.
 */
export const copySamples = (
  connection: Connection,
  sliceId: number,
  parts: readonly SampleRows[],
): Promise<void> =>
  copyRows(
    connection,
    `${partitionName(sliceId)} (group_id, bucket, shard, key_id, probe_id, slice_id, readings,
      counts)`,
    encodeSamples(sliceId, parts),
  );
