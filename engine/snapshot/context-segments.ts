import { groupBy } from '../../domain/group-by.ts';
import type { LiveSegments, Manifest } from '../../store/read/manifest.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

/** A request about a group of a context. */
type OfGroup = { readonly contextId: number; readonly read: { readonly groupId: number } };

type ContextSegments = LiveSegments & {
  /** By request. */
  readonly states: readonly ContextState[];
  /** Whether all states are of the snapshot that statements see now. */
  readonly isOneSnapshot: () => boolean;
};

/** Returns all live segments of the groups that the requests are about. */
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
    segments: found.flat().flatMap(({ segments }) => segments),
    rollUps: found.flat().flatMap(({ rollUps }) => rollUps),
    isOneSnapshot: () => states.every(({ snapshot }) => snapshot === reader.session.snapshot),
  };
}

/** By manifest, which never changes: its segments by group. */
const groupsOf = new WeakMap<Manifest, ReadonlyMap<number, LiveSegments>>();

function segmentsOfGroups(
  manifest: Manifest,
  groupIds: ReadonlySet<number>,
): readonly LiveSegments[] {
  const known = groupsOf.get(manifest);
  const groups = known ?? byGroup(manifest);
  if (!known) groupsOf.set(manifest, groups);
  return Array.from(groupIds).flatMap((groupId) => groups.get(groupId) ?? []);
}

function byGroup({ segments, rollUps }: Manifest): ReadonlyMap<number, LiveSegments> {
  const ofRollUps = groupBy([...rollUps.values()], ({ groupId }) => groupId);
  const ofSegments = groupBy([...segments.values()], ({ groupId }) => groupId);
  return new Map(
    Array.from(ofSegments, ([groupId, own]) => [
      groupId,
      { segments: own, rollUps: ofRollUps.get(groupId) ?? [] },
    ]),
  );
}
