import type { KeySet } from '../../segments/filter/key-set.ts';
import {
  type BlocksByStart,
  blockName,
  SegmentBlocks,
  type StartedBlock,
} from '../fetch/segment-blocks.ts';
import type { UnitReadings } from '../kernel/aggregate/fold-units.ts';
import { SharedArrays } from '../kernel/aggregate/shared-arrays.ts';
import { type BlockRun, signedRuns } from '../kernel/cover/cover.ts';
import { mapped, type PartsUnion, requestMaps } from '../keys/parts-union.ts';
import { SegmentKeys } from '../keys/segment-keys.ts';
import type { KeyMatcher, SegmentGroup } from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import type { SegmentPart } from '../plan/plan-segments.ts';
import {
  identityOf,
  type SectionRequests,
  type SegmentReader,
} from '../snapshot/segment-reader.ts';

/** Keys and blocks of the segments of several reads. */
export type PartsRead = { readonly keys: SegmentKeys; readonly blocks: SegmentBlocks };

export const openParts = (reader: SegmentReader): PartsRead => ({
  keys: new SegmentKeys(reader),
  blocks: new SegmentBlocks(reader),
});

/** The parts of a group to read. */
export type PartsToRead = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly parts: readonly SegmentPart[];
};

/** Requests the blocks of the parts that are not cached; returns their number. */
export function requestParts(
  { keys, blocks }: PartsRead,
  { group, read, parts }: PartsToRead,
  requests: SectionRequests,
): number {
  let count = 0;
  for (const { segment, cover, above } of parts) {
    if (above.length === 0) keys.request(group, segment, requests);
    requestMaps(blocks, above, requests);
    for (const run of [...cover.runs, ...cover.less]) {
      count += blocks.request(segment, run, read, requests);
    }
  }
  return count;
}

/** Returns the keys of a union that pass a filter. */
export async function findPassingKeys(
  { memory }: SegmentReader,
  union: PartsUnion,
  { name, match }: KeyMatcher,
): Promise<KeySet> {
  const known = memory.find('filters', `${union.name} ${name}`);
  if (known) return known;
  const found = await match(union.keys);
  memory.keep('filters', `${union.name} ${name}`, found);
  return found;
}

type UnitsToRead = {
  readonly read: MeterRead;
  readonly parts: readonly SegmentPart[];
  readonly union: PartsUnion;
  readonly blocks: BlocksByStart;
};

/** Blocks with readings, their keys by their ordinals in the union. */
export function unitsOf(
  { memory }: SegmentReader,
  { read, parts, union, blocks }: UnitsToRead,
): UnitReadings[] {
  const units: UnitReadings[] = [];
  const arrays = new SharedArrays();
  for (const part of parts) {
    const { segment, cover } = part;
    const map = union.mapOf(part);
    const toUnion = (run: BlockRun, { start, block: { ids } }: StartedBlock): Uint32Array => {
      // A block of all keys is the map itself.
      if (map === null || ids.length === map.length) return map ?? ids;
      const name = `${identityOf(segment)} ${blockName(run, start)} ${union.name}`;
      const known = memory.find('mapped', name);
      if (known) return known;
      const own = mapped(ids, map, arrays);
      memory.keep('mapped', name, own);
      return own;
    };
    for (const { run, sign } of signedRuns(cover)) {
      for (const started of blocks.startsOf(segment, run, read)) {
        const { column } = started.block;
        if (column === null) continue;
        units.push({ ids: toUnion(run, started), column, sign });
      }
    }
  }
  return units;
}
