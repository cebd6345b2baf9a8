import { groupBy } from '../../domain/group-by.ts';
import type { LiveSegments, Manifest } from '../../store/read/manifest.ts';
import { limitSegments, type OpenLimit } from '../plan/context-limit.ts';
import type { ScopedSegments } from '../plan/scoped-segment.ts';
import type { ContextState, NodeReader } from './node-reader.ts';

/** A request about a group of a context. */
type OfGroup = { readonly contextId: number; readonly read: { readonly groupId: number } };

type ContextSegments = ScopedSegments & {
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
  const asked = requests.map(({ read }, i) => ({ read, state: states[i] as ContextState }));
  const ofContexts = groupBy(asked, ({ state }) => state);
  const found = await Promise.all(
    Array.from(ofContexts, async ([state, ofContext]) => {
      const manifest = await reader.manifest(state.contextId);
      const groupIds = new Set(ofContext.map(({ read }) => read.groupId));
      return segmentsOfGroups(manifest, state.limit, groupIds);
    }),
  );
  return {
    states,
    segments: found.flat().flatMap(({ segments }) => segments),
    rollUps: found.flat().flatMap(({ rollUps }) => rollUps),
    isOneSnapshot: () => states.every(({ snapshot }) => snapshot === reader.session.snapshot),
  };
}

type ByGroup = ReadonlyMap<number, LiveSegments>;

/** By manifest, which never changes: its segments by group, and by limit and group what is seen. */
const ofManifests = new WeakMap<Manifest, { all: ByGroup; seen: Map<string, ScopedSegments> }>();

function segmentsOfGroups(
  manifest: Manifest,
  limit: OpenLimit | null,
  groupIds: ReadonlySet<number>,
): readonly ScopedSegments[] {
  const { all, seen } = ofManifests.get(manifest) ?? { all: byGroup(manifest), seen: new Map() };
  ofManifests.set(manifest, { all, seen });
  return Array.from(groupIds).flatMap((groupId) => {
    const own = all.get(groupId);
    if (!own) return [];
    const name = `${groupId} ${limit?.name ?? ''}`;
    const scoped = seen.get(name) ?? limitSegments(own, limit);
    seen.set(name, scoped);
    return scoped;
  });
}

function byGroup({ segments, rollUps }: Manifest): ByGroup {
  const ofRollUps = groupBy([...rollUps.values()], ({ groupId }) => groupId);
  const ofSegments = groupBy([...segments.values()], ({ groupId }) => groupId);
  return new Map(
    Array.from(ofSegments, ([groupId, own]) => [
      groupId,
      { segments: own, rollUps: ofRollUps.get(groupId) ?? [] },
    ]),
  );
}
