import type { Connection } from '../../db/connection/connection.ts';
import { type CoverageSpan, upsertCoverage } from '../../db/sql/coverage.ts';
import { ensureProbes, noteGroupData } from '../../db/sql/imports.ts';
import { IMPORTED_LEVEL } from '../../domain/slices/segment-level.ts';
import { type WrittenSegment, writeSegment } from '../../store/write/write-segment.ts';
import type { GatheredSegment, SegmentBatch } from './segment-batch.ts';

/** Where batches go: into one context, whose lock is held, within one transaction. */
export type SegmentTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  /** Returns the slices that begin at these times, by start. Each has a partition for pages. */
  readonly slicesAt: (starts: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** The database's clock when the import began, in epoch seconds. */
  readonly databaseNow: number;
  /** When all of it counts as imported, in epoch seconds. */
  readonly importedAt: number;
  /** The clock, in epoch seconds. */
  readonly now: () => number;
};

/** Probe id for "no probe" in segments. */
const NO_PROBE = 0;

/**
 * Writes the pages of a batch, one segment for each group, probe and slice. They are not published
 * yet.
 */
export async function writeSegmentBatch(
  target: SegmentTarget,
  batch: SegmentBatch,
): Promise<WrittenSegment[]> {
  const gathered = batch.segments().filter(({ readings }) => readings.rowCount > 0);
  const probeIdOf = await findProbes(target, gathered);
  const slices = await target.slicesAt(gathered.map(({ sliceStart }) => sliceStart));
  const written: WrittenSegment[] = [];
  const spans: CoverageSpan[] = [];
  for (const segment of gathered) {
    const sliceId = slices.get(segment.sliceStart);
    if (sliceId === undefined) throw new Error(`no slice begins at ${segment.sliceStart}`);
    const ids = { sliceId, probeId: probeIdOf(segment.probe) };
    const stored = await writeGathered(target, segment, ids);
    written.push(stored);
    spans.push(spanOf(stored, segment));
  }
  if (written.length === 0) return written;
  await upsertCoverage(target.connection, spans);
  await noteGroupData(target.connection, [...new Set(written.map(({ groupId }) => groupId))]);
  return written;
}

async function writeGathered(
  { connection, importedAt }: SegmentTarget,
  { group, shape, codec, readings, first, last }: GatheredSegment,
  ids: { readonly sliceId: number; readonly probeId: number },
): Promise<WrittenSegment> {
  const scope = {
    groupId: group.groupId,
    ...ids,
    level: IMPORTED_LEVEL,
    importedAt,
  };
  const ranges = readings.ranges();
  return writeSegment(connection, scope, { shape, codec, span: { first, last }, ranges });
}

/** Returns a lookup of the ids of the batch's probes by name. Creates new probes. */
async function findProbes(
  { connection, contextId }: SegmentTarget,
  gathered: readonly GatheredSegment[],
): Promise<(probe: string | null) => number> {
  const names = new Set(gathered.flatMap(({ probe }) => probe ?? []));
  const probes = names.size > 0 ? await ensureProbes(connection, contextId, [...names]) : [];
  const ids = new Map(probes.map(({ name, probeId }) => [name, probeId]));
  return (probe) => {
    if (probe === null) return NO_PROBE;
    const id = ids.get(probe);
    if (id === undefined) throw new Error(`probe ${probe} was neither found nor made`);
    return id;
  };
}

const spanOf = (
  segment: WrittenSegment,
  { lastPresent, ahead }: GatheredSegment,
): CoverageSpan => ({
  sliceId: segment.sliceId,
  groupId: segment.groupId,
  probeId: segment.probeId,
  firstBucket: segment.firstBucket,
  lastBucket: segment.lastBucket,
  presentBucket: Number.isFinite(lastPresent) ? lastPresent : null,
  aheadBuckets: [...ahead.values()],
});
