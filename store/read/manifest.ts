import {
  type ManifestRows,
  type SegmentRow,
  selectManifest,
} from '../../db/queries/segments/select-manifest.ts';
import type { CopySource } from '../../db/session/copy-source.ts';
import type { TimeBound } from '../../db/session/read-session.ts';
import { type Directory, readDirectory } from '../../segments/pages/directory.ts';

/** A live segment of a context. */
export type StoredSegment = Omit<SegmentRow, 'directory' | 'sources'> & {
  /** Where everything lies; decoded when first asked for. Errors: DamagedSegment. */
  readonly directory: () => Directory;
  readonly directoryBytes: number;
};

/** A segment that says again what others say, so that fewer are read (segments/roll-up). */
export type RollUp = StoredSegment & {
  /** The segments and roll-ups that it was made of; block i has the keys of source i. */
  readonly sources: readonly number[];
};

/** Of any groups: what is read, and what may be read in its place. */
export type LiveSegments = {
  readonly segments: readonly StoredSegment[];
  readonly rollUps: readonly RollUp[];
};

/** Which segments a context has, as of one moment. Never changes; a newer one is another one. */
export type Manifest = {
  readonly contextId: number;
  /** Of the data. */
  readonly version: number;
  /** Two manifests of a node with one layout have the same segments. */
  readonly layout: number;
  /** By segmentId: together all readings, each once. */
  readonly segments: ReadonlyMap<number, StoredSegment>;
  /** By segmentId. */
  readonly rollUps: ReadonlyMap<number, RollUp>;
};

/** Which manifest is wanted. since: one that is known, so that only what changed is read. */
export type ManifestRequest = {
  readonly contextId: number;
  readonly since?: Manifest | undefined;
};

/**
 * The manifest of a context as the source's snapshot has it, which may also be older than `since`.
 * Null: no such context.
 */
export async function loadManifest(
  source: CopySource,
  { contextId, since }: ManifestRequest,
  bound?: TimeBound | null,
): Promise<Manifest | null> {
  const question = { contextId, since: since?.layout ?? 0 };
  const rows = await selectManifest(source, question, bound);
  return rows && openManifest(rows, { contextId, since });
}

/** What was asked with the layout of `since`, or 0 without one. */
export function openManifest(rows: ManifestRows, { contextId, since }: ManifestRequest): Manifest {
  const { version, layout } = rows;
  const isKnown = since?.layout === layout;
  if (isKnown && since.version === version) return since;
  if (isKnown) return { ...since, version };
  return { contextId, version, layout, ...segmentsOf(rows, since) };
}

function segmentsOf(
  { isWhole, born, died }: ManifestRows,
  since: Manifest | undefined,
): Pick<Manifest, 'segments' | 'rollUps'> {
  const segments = new Map(isWhole ? [] : since?.segments);
  const rollUps = new Map(isWhole ? [] : since?.rollUps);
  for (const segmentId of died) {
    segments.delete(segmentId);
    rollUps.delete(segmentId);
  }
  for (const row of born) {
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

/** Of each segment its directory, which has a random number in it. */
const directories = new WeakMap<StoredSegment, Uint8Array>();

/**
 * One that is known already may have been decoded. A database that was brought back from a backup
 * may give its id to another one.
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
  // A copy of its own, or each would keep the whole manifest as it was read.
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
