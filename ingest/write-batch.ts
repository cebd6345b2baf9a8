import type { Connection } from '../db/write/connection.ts';
import { copySamples, type SampleRow } from '../db/write/copy-samples.ts';
import { ensureProbes } from '../db/write/ensure-probes.ts';
import { updateKeyTexts } from '../db/write/update-key-texts.ts';
import { type CoverageSpan, upsertCoverage } from '../db/write/upsert-coverage.ts';
import type { ImportSlices } from './import-slices.ts';
import type { Keyed, KeyIds } from './key-ids.ts';
import type { BatchCell, BatchRow, KeyWithTexts, ReadingBatch } from './reading-batch.ts';

/** Where batches go: into one context, whose lock is held, within one transaction. */
export type BatchTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly keyIds: KeyIds;
  readonly slices: ImportSlices;
};

/** A cell and the ids of what it names. */
type PlacedCell = { readonly cell: BatchCell; readonly sliceId: number; readonly probeId: number };

/** In samples, "no probe". */
const NO_PROBE = 0;

/** Writes what a batch holds, and what did not fit into its rows as batches of their own. */
export async function writeBatch(target: BatchTarget, batch: ReadingBatch): Promise<void> {
  const cells = batch.cells();
  await target.keyIds.learn(keyedOf(cells, batch.texts()));
  const placed = await placeCells(target, cells);
  if (placed.length > 0) {
    await copySamples(target.connection, sampleRows(target.keyIds, placed));
    await upsertCoverage(target.connection, spansOf(placed));
  }
  await writeTexts(target, batch.texts());
  const rest = batch.rest();
  if (rest) await writeBatch(target, rest);
}

function* keyedOf(cells: readonly BatchCell[], texts: readonly KeyWithTexts[]): Generator<Keyed> {
  for (const { group, rows } of cells) yield { group, things: rows.values() };
  for (const { group, key } of texts) yield { group, things: [{ key }] };
}

/** The cells in the order of the primary key of samples, so that its index grows at one place. */
async function placeCells(target: BatchTarget, cells: readonly BatchCell[]): Promise<PlacedCell[]> {
  const probeIds = await findProbes(target, cells);
  const placed: PlacedCell[] = [];
  for (const cell of cells) {
    const sliceId = await target.slices.sliceOf(cell.bucket);
    const probeId = probeIds.get(cell.probe);
    if (probeId === undefined) throw new Error(`probe ${cell.probe} was neither found nor made`);
    placed.push({ cell, sliceId, probeId });
  }
  return placed.sort(
    (a, b) => a.cell.group.groupId - b.cell.group.groupId || a.cell.bucket - b.cell.bucket,
  );
}

/** The ids of the cells' probes by name; those that are new are made. */
async function findProbes(
  { connection, contextId }: BatchTarget,
  cells: readonly BatchCell[],
): Promise<Map<string | null, number>> {
  const names = new Set(cells.flatMap(({ probe }) => probe ?? []));
  const probes = names.size > 0 ? await ensureProbes(connection, contextId, [...names]) : [];
  return new Map([
    [null, NO_PROBE],
    ...probes.map(({ name, probeId }) => [name, probeId] as const),
  ]);
}

function* sampleRows(keyIds: KeyIds, placed: readonly PlacedCell[]): Generator<SampleRow> {
  for (const { cell, sliceId, probeId } of placed) {
    const { group, bucket } = cell;
    const { groupId } = group;
    const rows = Array.from(cell.rows.values(), ({ key, readings, counts }): SampleRow => {
      const { shard, keyId } = keyIds.idOf(group, key.text);
      const said = counts !== null && saysSomething(counts) ? counts : null;
      return { groupId, bucket, shard, keyId, probeId, sliceId, readings, counts: said };
    });
    yield* rows.sort((a, b) => a.shard - b.shard || a.keyId - b.keyId);
  }
}

/** Whether some reading does not just stand for itself. */
const saysSomething = (counts: NonNullable<BatchRow['counts']>): boolean =>
  counts.some((count) => count !== null && count !== 1);

function spansOf(placed: readonly PlacedCell[]): CoverageSpan[] {
  const spans = new Map<string, CoverageSpan>();
  for (const { cell, sliceId, probeId } of placed) {
    const { groupId } = cell.group;
    const place = `${sliceId} ${groupId} ${probeId}`;
    const span = spans.get(place);
    spans.set(place, {
      sliceId,
      groupId,
      probeId,
      firstBucket: Math.min(cell.bucket, span?.firstBucket ?? cell.bucket),
      lastBucket: Math.max(cell.bucket, span?.lastBucket ?? cell.bucket),
    });
  }
  return [...spans.values()];
}

async function writeTexts(
  { connection, keyIds }: BatchTarget,
  keys: readonly KeyWithTexts[],
): Promise<void> {
  if (keys.length === 0) return;
  await updateKeyTexts(
    connection,
    keys.map(({ group, key, texts: { label, description, attributes } }) => ({
      groupId: group.groupId,
      ...keyIds.idOf(group, key.text),
      label,
      description,
      attributes: attributes ? JSON.stringify(attributes) : attributes,
    })),
  );
}
