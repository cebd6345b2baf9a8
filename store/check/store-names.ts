import type { Connection } from '../../db/connection/connection.ts';
import { selectProbeNames } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { type SegmentSlice, selectSegmentSlices } from '../../db/sql/manifest.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { parseGuid } from '../../domain/text/guid.ts';
import type { Subject } from './differences.ts';

/** The part of the store that is meant. */
type StorePart = {
  readonly groupId: number | null;
  readonly sliceId: number | null;
  /** 0: no probe. */
  readonly probeId: number;
  readonly segmentId: number | null;
};

export type StoreNames = {
  /** By id. */
  readonly slices: ReadonlyMap<number, SegmentSlice>;
  /** Returns the names that people use for a part. */
  readonly subjectOf: (part: StorePart) => Subject;
};

export async function loadStoreNames(
  connection: Connection,
  contextId: number,
): Promise<StoreNames> {
  const slices = await selectSegmentSlices(connection, contextId);
  const probes = await selectProbeNames(connection, contextId);
  const groups = new Map(
    (await selectGroups(connection, contextId)).map(({ groupId, guid, name }) => [
      groupId,
      { name, guid: parseGuid(guid) ?? guid },
    ]),
  );
  const sliceOf = (id: number): string => {
    const slice = slices.get(id);
    return slice ? sliceName(slice.startsAt, slice.engine) : `slice number ${id}`;
  };
  return {
    slices,
    subjectOf: ({ groupId, sliceId, probeId, segmentId }) => {
      const group = groupId === null ? null : groups.get(groupId);
      return {
        group: groupId === null ? null : (group?.name ?? `group number ${groupId}`),
        guid: group?.guid ?? null,
        slice: sliceId === null ? null : sliceOf(sliceId),
        probe: probeId === 0 ? null : (probes.get(probeId) ?? `number ${probeId}`),
        segment: segmentId,
      };
    },
  };
}
