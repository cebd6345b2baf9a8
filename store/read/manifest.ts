import type { CopySource } from '../../db/session/copy-source.ts';
import type { Deadline } from '../../db/session/read-session.ts';
import { type ManifestRows, type SegmentRow, selectManifest } from '../../db/sql/manifest.ts';
import { type Directory, readDirectory } from '../../segments/pages/directory.ts';

/** A live segment of a context. */
export type StoredSegment = Omit<SegmentRow, 'directory' | 'sources'> & {
  /**
   * The directory, which says where everything is; decoded on first use. Errors: DamagedSegment.
   */
  readonly directory: () => Directory;
  readonly directoryBytes: number;
};

/** A segment that combines others, so that fewer are read (segments/roll-up-shape.ts). */
export type RollUp = StoredSegment & {
  /** The segments and roll-ups it was made of; tile i has the keys of source i. */
  readonly sources: readonly number[];
};

/** Live segments of any groups: those to read, and the roll-ups that may be read instead. */
export type LiveSegments = {
  readonly segments: readonly StoredSegment[];
  readonly rollUps: readonly RollUp[];
};

/** The segments of a context as of one moment. Immutable; a newer state is another manifest. */
export type Manifest = {
  readonly contextId: number;
  /** Version of the data. */
  readonly version: number;
  /** Manifests of one node with the same layout have the same segments. */
  readonly layout: number;
  /** By segmentId. Together they hold every reading exactly once. */
  readonly segments: ReadonlyMap<number, StoredSegment>;
  /** By segmentId. */
  readonly rollUps: ReadonlyMap<number, RollUp>;
};

/** A manifest request. since: a known manifest, so that only changes are read. */
type ManifestRequest = {
  readonly contextId: number;
  readonly since?: Manifest | undefined;
};

/**
 * Loads the manifest of a context as the source's snapshot has it, which may be older than `since`.
 * Returns null if there is no such context.
 */
export async function loadManifest(
  source: CopySource,
  { contextId, since }: ManifestRequest,
  deadline?: Deadline | null,
): Promise<Manifest | null> {
  const question = { contextId, since: since?.layout ?? 0 };
  const rows = await selectManifest(source, question, deadline);
  return rows && openManifest(rows, { contextId, since });
}

/** Makes the manifest from rows that were read with the layout of `since`, or 0 without it. */
function openManifest(rows: ManifestRows, { contextId, since }: ManifestRequest): Manifest {
  const { version, layout } = rows;
  const isKnown = since?.layout === layout;
  if (isKnown && since.version === version) return since;
  if (isKnown) return { ...since, version };
  return { contextId, version, layout, ...segmentsOf(rows, since) };
}

function segmentsOf(
  { isWhole, added, removed }: ManifestRows,
  since: Manifest | undefined,
): Pick<Manifest, 'segments' | 'rollUps'> {
  const segments = new Map(isWhole ? [] : since?.segments);
  const rollUps = new Map(isWhole ? [] : since?.rollUps);
  for (const segmentId of removed) {
    segments.delete(segmentId);
    rollUps.delete(segmentId);
  }
  for (const row of added) {
    const { segmentId, sources } = row;
    if (sources === null) {
      segments.set(segmentId, sameSegment(since?.segments, row) ?? storedSegment(row));
    } else {
      const known = sameSegment(since?.rollUps, row);
      rollUps.set(segmentId, known ?? rollUpOf(storedSegment(row), sources));
    }
  }
  return { segments, rollUps };
}

/** The directory of each segment, which contains a random number. */
const directories = new WeakMap<StoredSegment, Uint8Array>();

/**
 * Returns the known segment, which may have been decoded already, if its directory is the same. A
 * database restored from a backup may give the same id to another segment.
 */
function sameSegment<Known extends StoredSegment>(
  known: ReadonlyMap<number, Known> | undefined,
  { segmentId, directory }: SegmentRow,
): Known | undefined {
  const found = known?.get(segmentId);
  const bytes = found && directories.get(found);
  return bytes && Buffer.compare(bytes, directory) === 0 ? found : undefined;
}

function rollUpOf(segment: StoredSegment, sources: readonly number[]): RollUp {
  const rollUp = { ...segment, sources };
  const bytes = directories.get(segment);
  if (bytes) directories.set(rollUp, bytes);
  return rollUp;
}

function storedSegment({ directory, sources: _, ...row }: SegmentRow): StoredSegment {
  // Copy the bytes, or each segment would keep the whole manifest result in memory.
  const bytes = Uint8Array.from(directory);
  let decoded: Directory | null = null;
  const segment: StoredSegment = {
    ...row,
    directoryBytes: bytes.length,
    directory: () => {
      decoded ??= readDirectory(bytes);
      return decoded;
    },
  };
  directories.set(segment, bytes);
  return segment;
}
