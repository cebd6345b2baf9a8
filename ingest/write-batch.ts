import type { Connection } from '../db/write/connection.ts';
import { copySamples } from '../db/write/copy-samples.ts';
import { ensureProbes } from '../db/write/ensure-probes.ts';
import { updateKeyTexts } from '../db/write/update-key-texts.ts';
import { type CoverageSpan, upsertCoverage } from '../db/write/upsert-coverage.ts';
import { groupBy } from '../domain/group-by.ts';
import type { ReadingsSink, SortedReadings } from '../packing/sorted-readings.ts';
import type { ImportSlices } from './import-slices.ts';
import type { KeyIds } from './key-ids.ts';
import type { ReadingBatch } from './reading-batch.ts';
import { sortBatch } from './sort-batch.ts';

/** Where batches go: into one context, whose lock is held, within one transaction. */
export type BatchTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly keyIds: KeyIds;
  readonly slices: ImportSlices;
  readonly sink: ReadingsSink;
};

/** In samples, "no probe". */
const NO_PROBE = 0;

/** Writes what a batch holds; gives the number of rows that it has become. */
export async function writeBatch(target: BatchTarget, batch: ReadingBatch): Promise<number> {
  const { connection, keyIds, slices, sink } = target;
  await keyIds.learn(batch.keys);
  const probeIdOf = await findProbes(target, batch);
  const sorted = await sortBatch(batch, { slices, probeIdOf });
  for (const [sliceId, ofSlice] of groupBy(sorted, (readings) => readings.sliceId)) {
    await copySamples(connection, sliceId, ofSlice);
  }
  if (sorted.length > 0) await upsertCoverage(connection, sorted.map(spanOf));
  for (const readings of sorted) await sink.add(readings);
  await writeTexts(connection, batch);
  return sorted.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

/** Tells the ids of the batch's probes by name; those that are new are made. */
async function findProbes(
  { connection, contextId }: BatchTarget,
  batch: ReadingBatch,
): Promise<(probe: string | null) => number> {
  const names = new Set(batch.all().flatMap(({ probe }) => probe ?? []));
  const probes = names.size > 0 ? await ensureProbes(connection, contextId, [...names]) : [];
  const ids = new Map(probes.map(({ name, probeId }) => [name, probeId]));
  return (probe) => {
    if (probe === null) return NO_PROBE;
    const id = ids.get(probe);
    if (id === undefined) throw new Error(`probe ${probe} was neither found nor made`);
    return id;
  };
}

const spanOf = (readings: SortedReadings): CoverageSpan => ({
  sliceId: readings.sliceId,
  groupId: readings.group.groupId,
  probeId: readings.probeId,
  firstBucket: readings.buckets[0] ?? 0,
  lastBucket: readings.buckets[readings.rowCount - 1] ?? 0,
});

async function writeTexts(connection: Connection, batch: ReadingBatch): Promise<void> {
  const texts = batch.texts();
  if (texts.length === 0) return;
  await updateKeyTexts(
    connection,
    texts.map(({ group, keyIndex, texts: { label, description, attributes } }) => ({
      groupId: group.groupId,
      ...batch.keys.of(group).idOf(keyIndex),
      label,
      description,
      attributes: attributes ? JSON.stringify(attributes) : attributes,
    })),
  );
}
