import { selectProbeNames } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import type { SliceSegmentRow } from '../../db/sql/manifest.ts';
import { generationOf } from '../../domain/slices/page-generation.ts';
import { isSealed } from '../../domain/slices/segment-level.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { type ArchivedGroup, type ArchiveHeader, FORM_VERSION } from './archive-form.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';

/** Makes the header of an archive of a slice with these segments. */
export async function describeArchive(
  session: ArchiveSession,
  slice: SliceIdentity,
  segments: readonly SliceSegmentRow[],
): Promise<ArchiveHeader> {
  const sum = (of: (row: SliceSegmentRow) => number): number =>
    segments.reduce((total, row) => total + of(row), 0);
  return {
    countergraph: 'archive',
    version: FORM_VERSION,
    context: session.context,
    slice: {
      id: slice.sliceId,
      name: sliceName(slice.startsAt, slice.engine),
      engine: slice.engine,
      from: slice.startsAt,
      to: slice.endsAt,
    },
    ...(await loadIdentity(session)),
    levels: eachOnce(segments.map(({ level }) => level)),
    generations: eachOnce(segments.filter(({ level }) => !isSealed(level)).map(generationOf)),
    content: {
      segments: segments.length,
      pages: sum(({ pageCount }) => pageCount),
      rows: sum(({ rowCount }) => rowCount),
      bytes: sum(({ sizeBytes }) => sizeBytes),
    },
  };
}

const eachOnce = (numbers: readonly number[]): number[] =>
  [...new Set(numbers)].sort((a, b) => a - b);

/** Reads what the ids of groups, slots and probes mean in a context. */
export async function loadIdentity({
  connection,
  contextId,
}: ArchiveSession): Promise<Pick<ArchiveHeader, 'groups' | 'probes'>> {
  const groups = await selectGroups(connection, contextId);
  const probes = await selectProbeNames(connection, contextId);
  return {
    groups: groups.map(archivedGroup),
    probes: [...probes].map(([id, name]) => ({ id, name })).sort((a, b) => a.id - b.id),
  };
}

const archivedGroup = (group: ArchivedGroup): ArchivedGroup => ({
  groupId: group.groupId,
  guid: group.guid,
  name: group.name,
  keyKind: group.keyKind,
  bucketSize: group.bucketSize,
  topperBucketSize: group.topperBucketSize,
  partGuids: group.partGuids,
  meters: group.meters.map(({ slot, id, type, name }) => ({ slot, id, type, name })),
});
