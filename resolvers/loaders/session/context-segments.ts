import { groupBy } from '../../../domain/group-by.ts';
import type { Manifest, StoredSegment } from '../../../store/read/manifest.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

/** Something that is asked of a group of a context. */
type OfGroup = { readonly contextId: number; readonly read: { readonly groupId: number } };

export type ContextSegments = {
  /** By request. */
  readonly states: readonly ContextState[];
  /** The live segments of all groups that are asked about. */
  readonly segments: readonly StoredSegment[];
  /** Whether they are of the snapshot that statements see now. */
  readonly isOneSnapshot: () => boolean;
};

/** The segments of the groups that requests are about. */
export async function segmentsOfContexts(
  reader: NodeReader,
  requests: readonly OfGroup[],
): Promise<ContextSegments> {
  const states = await Promise.all(requests.map(({ contextId }) => reader.context(contextId)));
  const ofContexts = groupBy(requests, ({ contextId }) => contextId);
  const found = await Promise.all(
    Array.from(ofContexts, async ([contextId, ofContext]) => {
      const manifest = await reader.manifest(contextId);
      return segmentsOfGroups(manifest, new Set(ofContext.map(({ read }) => read.groupId)));
    }),
  );
  return {
    states,
    segments: found.flat(),
    isOneSnapshot: () => states.every(({ snapshot }) => snapshot === reader.session.snapshot),
  };
}

/** Of each manifest, which never changes, its segments by group. */
const groupsOf = new WeakMap<Manifest, ReadonlyMap<number, readonly StoredSegment[]>>();

function segmentsOfGroups(
  manifest: Manifest,
  groupIds: ReadonlySet<number>,
): readonly StoredSegment[] {
  const known = groupsOf.get(manifest);
  const groups = known ?? groupBy([...manifest.segments.values()], ({ groupId }) => groupId);
  if (!known) groupsOf.set(manifest, groups);
  return Array.from(groupIds).flatMap((groupId) => groups.get(groupId) ?? []);
}
