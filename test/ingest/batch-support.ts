import type { Guid } from '../../domain/guid.ts';
import type { Fold } from '../../domain/meter-type.ts';
import { shardOf } from '../../domain/shard.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';
import { createKeyTables } from '../../ingest/key-tables.ts';
import { ReadingBatch } from '../../ingest/reading-batch.ts';
import { sortBatch } from '../../ingest/sort-batch.ts';
import type { Whole } from '../../ingest/whole.ts';
import { readingAt } from '../../packing/reading-at.ts';
import type { SortedReadings } from '../../packing/sorted-readings.ts';

export const DAY = 86_400;

/** A group of text keys whose meters have these folds. */
export const groupOf = (folds: readonly Fold[], groupId = 1): ImportGroup => ({
  groupId,
  guid: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid,
  keyKind: 'text',
  bucketSeconds: 60,
  topperBucketSeconds: 300,
  shardCount: 8,
  meters: new Map(),
  folds,
  hasMeans: folds.includes('mean'),
  partGuids: [],
  partKinds: [],
});

export const emptyBatch = (): ReadingBatch => new ReadingBatch(createKeyTables());

/** A row of samples, with the key's text in place of its id. */
export type TextRow = {
  readonly key: string;
  readonly bucket: number;
  readonly probeId: number;
  readonly readings: readonly (Whole | null)[];
  readonly counts: readonly (Whole | null)[];
};

/**
 * What a batch would give to be written. Keys get the ids 0, 1, … in each shard; slices are days,
 * whose id is the number of the day; a probe's id is the length of its name.
 */
export async function sortedOf(
  batch: ReadingBatch,
): Promise<{ sorted: SortedReadings[]; rows: TextRow[] }> {
  const texts = learnKeys(batch);
  const sorted = await sortBatch(batch, {
    slices: {
      sliceOf: async (bucket) => {
        const sliceId = Math.floor(bucket / DAY);
        return { sliceId, endsAt: (sliceId + 1) * DAY };
      },
    },
    probeIdOf: (probe) => probe?.length ?? 0,
  });
  const textOf = (shard: number, keyId: number) => texts.get(`${shard} ${keyId}`) ?? 'unknown';
  return { sorted, rows: sorted.flatMap((readings) => textRows(readings, textOf)) };
}

/** Gives the batch's keys their ids; returns the texts by shard and id. */
function learnKeys(batch: ReadingBatch): Map<string, string> {
  const texts = new Map<string, string>();
  for (const table of batch.keys.all()) {
    const sizes = new Map<number, number>();
    for (const { index, key } of table.takeNewKeys()) {
      const shard = shardOf(key.text, table.group.shardCount);
      const keyId = sizes.get(shard) ?? 0;
      sizes.set(shard, keyId + 1);
      table.setId(index, { shard, keyId });
      texts.set(`${shard} ${keyId}`, key.text);
    }
  }
  return texts;
}

function textRows(
  { rowCount, buckets, shards, keyIds, readings, counts, probeId }: SortedReadings,
  textOf: (shard: number, keyId: number) => string,
): TextRow[] {
  return Array.from({ length: rowCount }, (_, row) => ({
    key: textOf(shards[row] ?? -1, keyIds[row] ?? -1),
    bucket: buckets[row] ?? -1,
    probeId,
    readings: readings.map((column) => readingAt(column, row)),
    counts: counts.map((column) => column && readingAt(column, row)),
  }));
}
