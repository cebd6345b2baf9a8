import { type Connection, inSnapshot } from '../../db/connection/connection.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { type CopySource, copiesOf } from '../../db/session/copy-source.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { selectWrongCoverage } from '../../db/sql/coverage.ts';
import { selectStrayPages } from '../../db/sql/pages.ts';
import { NO_SLICE } from '../../domain/slices/segment-level.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { loadManifest, type Manifest, type RollUp, type StoredSegment } from '../read/manifest.ts';
import { ALL_PROBES } from '../roll-up/plan-roll-up.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import { checkStoredRollUp } from './check-roll-up.ts';
import { checkStoredSegment } from './check-stored-segment.ts';
import { type Difference, Differences } from './differences.ts';
import { misplacement } from './misplacement.ts';
import { loadStoreNames, type StoreNames } from './store-names.ts';

type VerifyTarget = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after each range of keys. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void;
};

export type VerifyReport = {
  readonly context: string;
  /** Slices that have segments. */
  readonly slices: number;
  readonly segments: number;
  /** One per key and bucket of each segment. */
  readonly samples: number;
  /** Size of all segments. */
  readonly bytes: number;
  /** The first of the differences. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
};

/**
 * Compares all stored data of a context with what they are derived from, in one snapshot; imports
 * and merges continue meanwhile. Checks each page against its digest; within each segment, sums,
 * totals, heads and head series against its tiles (segments/check/check-segment.ts); roll-ups
 * against their sources; the manifest against the stored pages and the slices; and coverage against
 * the manifest. Memory holds one range of keys; for a roll-up, also one of each source.
 */
export const verifyContext = (target: VerifyTarget): Promise<VerifyReport> =>
  withConnection(target, 'verify', (connection) =>
    inSnapshot(connection, async () => {
      const { contextId } = await existingContext(connection, target.context);
      return verifyAll(target, connection, contextId);
    }),
  );

type Verification = {
  readonly source: CopySource;
  readonly names: StoreNames;
  readonly shapes: ReadonlyMap<number, SegmentShape>;
  readonly differences: Differences;
};

async function verifyAll(
  { context, signal, onProgress }: VerifyTarget,
  connection: Connection,
  contextId: number,
): Promise<VerifyReport> {
  const manifest = await loadManifest(copiesOf(connection), { contextId });
  const names = await loadStoreNames(connection, contextId);
  const segments = inOrder([...(manifest?.segments.values() ?? [])], names);
  const rollUps = [...(manifest?.rollUps.values() ?? [])];
  const bytes = sum([...segments, ...rollUps], ({ sizeBytes }) => sizeBytes);
  let read = 0;
  const source = countedCopies(connection, (length) => {
    read += length;
    onProgress?.({ bytes: Math.min(read, bytes), of: bytes });
  });
  const differences = new Differences();
  const shapes = await loadShapes(connection, contextId);
  const verification = { source, names, shapes, differences };
  for (const segment of segments) {
    signal?.throwIfAborted();
    await verifySegment(verification, segment);
  }
  for (const rollUp of rollUps) {
    signal?.throwIfAborted();
    if (manifest) await verifyRollUp(verification, rollUp, manifest);
  }
  await verifyCoverage(connection, contextId, { names, differences });
  await verifyStrays(connection, { names, differences });
  return {
    context,
    slices: new Set(segments.map(({ sliceId }) => sliceId)).size,
    segments: segments.length,
    samples: sum(segments, ({ rowCount }) => rowCount),
    bytes,
    differences: differences.kept,
    differenceCount: differences.count,
  };
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((so, item) => so + of(item), 0);

/** Sorts segments: oldest slice first, and within a slice by group. */
function inOrder(segments: readonly StoredSegment[], { slices }: StoreNames): StoredSegment[] {
  const indexes = new Map([...slices.keys()].map((sliceId, index) => [sliceId, index]));
  const indexOf = ({ sliceId }: StoredSegment) => indexes.get(sliceId) ?? indexes.size;
  return segments.toSorted(
    (a, b) => indexOf(a) - indexOf(b) || a.groupId - b.groupId || a.segmentId - b.segmentId,
  );
}

/** Wraps the copies of a connection, and reports how many bytes each has. */
function countedCopies(connection: Connection, onBytes: (length: number) => void): CopySource {
  const source = copiesOf(connection);
  const counted = (copies: Pick<CopySource, 'copy'>): Pick<CopySource, 'copy'> => ({
    async copy(statement, deadline) {
      const copied = await copies.copy(statement, deadline);
      onBytes(copied.length);
      return copied;
    },
  });
  return {
    ...counted(source),
    get distributedPages() {
      return source.distributedPages ? counted(source.distributedPages) : null;
    },
  };
}

async function verifySegment(
  { source, names, shapes, differences }: Verification,
  segment: StoredSegment,
): Promise<void> {
  const subject = names.subjectOf(segment);
  const misplaced = misplacement(segment, names.slices);
  if (misplaced !== null) differences.add(subject, misplaced);
  const shape = shapes.get(segment.groupId);
  if (!shape) {
    differences.add(subject, 'its group is not there');
    return;
  }
  for await (const fault of checkStoredSegment(source, segment, shape)) {
    differences.add(subject, fault);
  }
}

async function verifyRollUp(
  { source, names, shapes, differences }: Verification,
  rollUp: RollUp,
  manifest: Manifest,
): Promise<void> {
  const { segmentId, groupId, probeId } = rollUp;
  const subject = names.subjectOf({
    groupId,
    segmentId,
    sliceId: null,
    probeId: probeId === ALL_PROBES ? 0 : probeId,
  });
  const shape = shapes.get(groupId);
  if (!shape) {
    differences.add(subject, 'its group is not there');
    return;
  }
  for await (const fault of checkStoredRollUp(source, rollUp, { shape, manifest })) {
    differences.add(subject, `as a roll-up: ${fault}`);
  }
}

type Findings = Pick<Verification, 'names' | 'differences'>;

async function verifyCoverage(
  connection: Connection,
  contextId: number,
  { names, differences }: Findings,
): Promise<void> {
  for (const wrong of await selectWrongCoverage(connection, contextId)) {
    const is = span(wrong.storedFirst, wrong.storedLast);
    const problem = `${is} is stored, the segments say ${span(wrong.first, wrong.last)}`;
    differences.add(names.subjectOf({ ...wrong, segmentId: null }), `its coverage: ${problem}`);
  }
}

const span = (first: number | null, last: number | null): string =>
  first === null || last === null ? 'nothing' : `${isoTime(first)} to ${isoTime(last)}`;

async function verifyStrays(
  connection: Connection,
  { names, differences }: Findings,
): Promise<void> {
  const strays = await selectStrayPages(connection, [NO_SLICE, ...names.slices.keys()]);
  for (const { sliceId, segmentId, pages, isBeyond } of strays) {
    const problem = isBeyond
      ? `has ${pages} pages beyond its end`
      : `has ${pages} pages, but is not in the manifest`;
    const slice = sliceId === NO_SLICE ? null : sliceId;
    const part = { groupId: null, sliceId: slice, probeId: 0, segmentId };
    differences.add(names.subjectOf(part), problem);
  }
}
