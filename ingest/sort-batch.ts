import type { SortedReadings } from '../packing/sorted-readings.ts';
import { combineRows, type Places } from './combine-rows.ts';
import type { ImportSlices } from './import-slices.ts';
import type { ProbeRows, ReadingBatch } from './reading-batch.ts';
import type { ReadingRows } from './reading-rows.ts';
import { orderById } from './row-order.ts';

export type SortOptions = {
  readonly slices: Pick<ImportSlices, 'sliceOf'>;
  readonly probeIdOf: (probe: string | null) => number;
};

/** The readings of a batch whose keys were learned, by slice, then by group and probe. */
export async function sortBatch(
  batch: ReadingBatch,
  options: SortOptions,
): Promise<SortedReadings[]> {
  const sorted: SortedReadings[] = [];
  for (const probeRows of batch.all()) sorted.push(...(await sortRows(probeRows, options)));
  return sorted.sort((a, b) => a.sliceId - b.sliceId || a.group.groupId - b.group.groupId);
}

async function sortRows(
  { probe, rows }: ProbeRows,
  { slices, probeIdOf }: SortOptions,
): Promise<SortedReadings[]> {
  const order = orderById(rows);
  const bucketAt = (place: number) => rows.buckets[order[place] ?? 0] ?? 0;
  const sorted: SortedReadings[] = [];
  for (let from = 0; from < rows.rowCount; ) {
    const { sliceId, endsAt } = await slices.sliceOf(bucketAt(from));
    let to = from;
    while (to < rows.rowCount && bucketAt(to) < endsAt) to += 1;
    sorted.push({
      probeId: probeIdOf(probe),
      sliceId,
      ...sortedColumns(rows, order, { from, to }),
    });
    from = to;
  }
  return sorted;
}

function sortedColumns(rows: ReadingRows, order: Uint32Array, places: Places) {
  const { keys, rowCount, keyIndexes, buckets, readings, counts } = combineRows(
    rows,
    order,
    places,
  );
  const shards = new Uint8Array(rowCount);
  const keyIds = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const index = keyIndexes[row] ?? 0;
    shards[row] = keys.shards[index] ?? 0;
    keyIds[row] = keys.keyIds[index] ?? 0;
  }
  return { group: keys.group, rowCount, buckets, shards, keyIds, readings, counts };
}
