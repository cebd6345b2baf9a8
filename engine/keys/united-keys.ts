import { DamagedSegment } from '../../segments/damaged-segment.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import type { UnitedKeys } from '../../segments/keys/unite-keys.ts';
import { SOURCE_STEP } from '../../segments/roll-up-shape.ts';
import type { BlockMeter, SegmentBlocks } from '../fetch/segment-blocks.ts';
import type { KeyLists } from '../fetch/segment-keys.ts';
import { SharedArrays } from '../kernel/aggregate/shared-arrays.ts';
import type { BlockRun } from '../kernel/cover/cover.ts';
import type { RollUpStep, SegmentPart } from '../plan/plan-segments.ts';
import type { KeyLimit, ScopedSegment } from '../plan/scoped-segment.ts';
import {
  identityOf,
  type SectionRequests,
  type SegmentReader,
} from '../snapshot/segment-reader.ts';

/** The merged keys of several segments. */
type SegmentUnion = {
  /** Unions of the same lists of the same segments have the same name. */
  readonly name: string;
  readonly keys: KeyList;
  /** Maps ordinals of keys in the segment to those in `keys`; null: they are the same. */
  readonly mapOf: (segment: ScopedSegment) => Uint32Array | null;
};

const NO_KEYS: KeyList = { bytes: new Uint8Array(0), ends: new Uint32Array(0), count: 0 };

async function uniteSegments(
  reader: SegmentReader,
  segments: readonly ScopedSegment[],
  keys: KeyLists,
): Promise<SegmentUnion> {
  const ordered = segments.toSorted((a, b) => a.segmentId - b.segmentId);
  const name = `${keys.name} ${reader.node} ${ordered.map(identityOf).join(' ')}`;
  const [first, ...others] = ordered;
  if (!first) return { name, keys: NO_KEYS, mapOf: () => null };
  if (others.length === 0) return { name, keys: keys.of(first), mapOf: () => null };
  const united = await unite(reader, name, ordered, keys);
  const indexes = new Map(ordered.map((segment, index) => [segment, index]));
  const mapOf = (segment: ScopedSegment) => united.maps[indexes.get(segment) ?? -1] ?? null;
  return { name, keys: united.keys, mapOf };
}

async function unite(
  { memory, threadPool, caller }: SegmentReader,
  name: string,
  ordered: readonly ScopedSegment[],
  keys: KeyLists,
): Promise<UnitedKeys> {
  const known = memory.find('unions', name);
  if (known) return known;
  const united = await threadPool.unite(
    ordered.map((segment) => keys.of(segment)),
    caller,
  );
  memory.keep('unions', name, united);
  return united;
}

/** The merged keys of everything that is read. */
export type PartsUnion = {
  /** Unions of the same lists of the same segments have the same name. */
  readonly name: string;
  readonly keys: KeyList;
  /** Maps ordinals of keys in the part's segment to those in `keys`; null: they are the same. */
  readonly mapOf: (part: SegmentPart) => Uint32Array | null;
  /** Which of the keys may be seen; null: all, or not the same in all segments. */
  readonly limit: KeyLimit | null;
};

/** Returns the tile that maps the keys of a source to those of the roll-up. */
const keysOfSource = ({ source }: RollUpStep): BlockRun => ({
  kind: 'tiles',
  seconds: SOURCE_STEP,
  from: source * SOURCE_STEP,
  to: (source + 1) * SOURCE_STEP,
});

/** Such a tile has only keys. */
const SOURCE_KEYS: BlockMeter = {
  meterIndex: null,
  bucketSeconds: SOURCE_STEP,
  aggregate: 'sum',
  mapsKeys: true,
};

/** rollUps: the tiles that map keys of sources to keys of roll-ups. */
type KeysRead = { readonly keys: KeyLists; readonly rollUps: SegmentBlocks };

/**
 * Merges the keys of all parts that are not below a roll-up that is read. The keys of the other
 * parts are among those of their roll-up, whose tiles map them.
 */
export async function uniteParts(
  reader: SegmentReader,
  parts: readonly SegmentPart[],
  { keys, rollUps }: KeysRead,
): Promise<PartsUnion> {
  const tops = new Set(parts.flatMap(({ segment, above }) => (above.length === 0 ? segment : [])));
  const union = await uniteSegments(reader, [...tops], keys);
  const { memory } = reader;
  const mapOf = ({ segment, above }: SegmentPart): Uint32Array | null => {
    const [top] = above;
    if (!top) return union.mapOf(segment);
    const toUnion = union.mapOf(top.rollUp);
    const [toTop, ...toOthers] = mapsOf(rollUps, above, segment);
    if (!toTop) throw new Error(`a part below ${top.rollUp.segmentId} has a step`);
    // With one step, and a roll-up whose keys are the whole union, the tile is the map.
    if (toOthers.length === 0 && toUnion === null) return toTop;
    const name = `${identityOf(segment)} ${union.name}`;
    const known = memory.find('mapped', name);
    if (known) return known;
    const whole = toOthers.reduce((map, ids) => mapped(ids, map), toTop);
    const map = toUnion === null ? whole : mapped(whole, toUnion);
    memory.keep('mapped', name, map);
    return map;
  };
  const limits = new Set([...tops].map(({ limit }) => limit));
  const [limit = null] = limits;
  // Networks are formed from all addresses.
  const isLimited = limits.size === 1 && keys.name === 'keys';
  return { name: union.name, keys: union.keys, mapOf, limit: isLimited ? limit : null };
}

/** Requests the tiles that map the keys of each source to those of its roll-up. */
export function requestMaps(
  rollUps: SegmentBlocks,
  above: readonly RollUpStep[],
  requests: SectionRequests,
): void {
  for (const step of above) {
    rollUps.request(step.rollUp, keysOfSource(step), SOURCE_KEYS, requests);
  }
}

/**
 * Returns for each step, by ordinal of the source, the ordinal in its roll-up. `segment`: the last
 * source. Errors: DamagedSegment.
 */
export const mapsOf = (
  rollUps: SegmentBlocks,
  above: readonly RollUpStep[],
  segment: ScopedSegment,
): Uint32Array[] =>
  above.map((step, i) => idsOf(rollUps, step, above[i + 1]?.rollUp.keyCount ?? segment.keyCount));

/** keyCount: the number of keys of the source. Errors: DamagedSegment. */
function idsOf(blocks: SegmentBlocks, step: RollUpStep, keyCount: number): Uint32Array {
  const [ids] = blocks.keysOf(step.rollUp, keysOfSource(step), SOURCE_KEYS);
  if (ids?.length === keyCount) return ids;
  const { segmentId } = step.rollUp;
  throw new DamagedSegment(
    `roll-up ${segmentId} has ${ids?.length} of a source's ${keyCount} keys`,
  );
}

/** Maps ordinals. Ascending ordinals stay ascending: a union keeps the order of each list. */
export function mapped(
  ids: Uint32Array,
  map: Uint32Array,
  arrays = new SharedArrays(),
): Uint32Array {
  const result = arrays.words(ids.length);
  for (let row = 0; row < ids.length; row += 1) result[row] = map[ids[row] as number] as number;
  return result;
}
