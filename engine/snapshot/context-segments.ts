import { groupBy } from '../../domain/group-by.ts';
import type { Manifest } from '../../store/read/manifest.ts';
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

/** By manifest, which never changes, and limit: the segments that may be seen, by group. */
const groupsOf = new WeakMap<Manifest, Map<string, ReadonlyMap<number, ScopedSegments>>>();

function segmentsOfGroups(
  manifest: Manifest,
  limit: OpenLimit | null,
  groupIds: ReadonlySet<number>,
): readonly ScopedSegments[] {
  const name = limit?.name ?? '';
  const ofLimits = groupsOf.get(manifest) ?? new Map<string, ReadonlyMap<number, ScopedSegments>>();
  groupsOf.set(manifest, ofLimits);
  const groups = ofLimits.get(name) ?? byGroup(manifest, limit);
  ofLimits.set(name, groups);
  return Array.from(groupIds).flatMap((groupId) => groups.get(groupId) ?? []);
}

function byGroup(manifest: Manifest, limit: OpenLimit | null): ReadonlyMap<number, ScopedSegments> {
  const live = {
    segments: [...manifest.segments.values()],
    rollUps: [...manifest.rollUps.values()],
  };
  const { segments, rollUps } = limitSegments(live, limit);
  const ofRollUps = groupBy(rollUps, ({ groupId }) => groupId);
  const ofSegments = groupBy(segments, ({ groupId }) => groupId);
  return new Map(
    Array.from(ofSegments, ([groupId, own]) => [
      groupId,
      { segments: own, rollUps: ofRollUps.get(groupId) ?? [] },
    ]),
  );
}
