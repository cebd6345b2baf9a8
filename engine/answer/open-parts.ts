import { lengthsName, type NetworkLengths } from '../../domain/filters/network-lengths.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import {
  addKey,
  emptyKeySet,
  hasKey,
  type KeySet,
  nextKey,
} from '../../segments/filter/key-set.ts';
import { type FormedNetworks, NETWORK_CODEC } from '../../segments/keys/form-networks.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { KnownBlock } from '../cache/segment-cache.ts';
import {
  type BlocksByStart,
  blockName,
  SegmentBlocks,
  type StartedBlock,
} from '../fetch/segment-blocks.ts';
import { type KeyLists, SegmentKeys } from '../fetch/segment-keys.ts';
import type { BlockReadings } from '../kernel/aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../kernel/aggregate/shared-arrays.ts';
import { type BlockRun, signedRuns } from '../kernel/cover/cover.ts';
import { keysOfSet } from '../keys/key-pages.ts';
import { mapped, type PartsUnion, requestMaps } from '../keys/united-keys.ts';
import type { NamedMatcher, SegmentGroup } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import type { SegmentPart } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import {
  identityOf,
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';

/** The source of a read: the keys and blocks of segments, or the networks of these keys. */
export type ReadSource = {
  readonly keys: KeyLists;
  readonly codec: KeyCodec;
  readonly blocks: BlocksByStart;
  readonly rollUps: SegmentBlocks;
};

/** Opens the source of parts that were read and decoded. */
export async function openSource(
  reader: SegmentReader,
  request: PartsToRead,
  { keys, blocks }: PartsRead,
): Promise<ReadSource> {
  const { group, read, parts } = request;
  if (read.prefix === null) return { keys, blocks, codec: group.codec, rollUps: blocks };
  const segments = [...new Set(parts.map(({ segment }) => segment))];
  const lists = await networkLists(reader, segments, { keys, lengths: read.prefix });
  const grouped = await groupBlocks(reader, request, { blocks, lists });
  return { keys: lists, blocks: grouped, codec: NETWORK_CODEC, rollUps: blocks };
}

/** The networks of the addresses of several segments, by segment. */
type NetworkLists = KeyLists & {
  /** Maps the ordinal of a segment's address to that of its network. */
  readonly mapOf: (segment: ScopedSegment) => Uint32Array;
};

type Forming = { readonly keys: KeyLists; readonly lengths: NetworkLengths };

/** Returns the networks of the addresses of segments whose keys were read. */
export async function networkLists(
  reader: SegmentReader,
  segments: readonly ScopedSegment[],
  { keys, lengths }: Forming,
): Promise<NetworkLists> {
  const { memory, threadPool, caller } = reader;
  const name = lengthsName(lengths);
  const nameOf = (segment: ScopedSegment): string => `${segmentName(reader, segment)} ${name}`;
  const formed = new Map<ScopedSegment, FormedNetworks>();
  const missing: ScopedSegment[] = [];
  for (const segment of segments) {
    const known = memory.find('networks', nameOf(segment));
    if (known) formed.set(segment, known);
    else missing.push(segment);
  }
  if (missing.length > 0) {
    const lists = missing.map((segment) => keys.of(segment));
    for (const [i, own] of (await threadPool.formNetworks(lists, lengths, caller)).entries()) {
      const segment = missing[i] as ScopedSegment;
      formed.set(segment, own);
      memory.keep('networks', nameOf(segment), own);
    }
  }
  const of = (segment: ScopedSegment): FormedNetworks => {
    const own = formed.get(segment);
    if (!own) throw new Error(`the networks of segment ${segment.segmentId} were not formed`);
    return own;
  };
  return { name, of: (segment) => of(segment).keys, mapOf: (segment) => of(segment).map };
}

type Grouping = { readonly blocks: SegmentBlocks; readonly lists: NetworkLists };

/** Returns the blocks of parts, with networks in place of keys. */
async function groupBlocks(
  reader: SegmentReader,
  { read, parts }: PartsToRead,
  { blocks, lists }: Grouping,
): Promise<BlocksByStart> {
  const nameOf = (segment: ScopedSegment, run: BlockRun, start: number): string =>
    `${segmentName(reader, segment)} ${blockName(run, start)} ${read.meterIndex} ${lists.name}`;
  const found = new Map<string, KnownBlock>();
  const missing = new Map<string, Ungrouped>();
  for (const { segment, cover } of parts) {
    for (const run of [...cover.runs, ...cover.subtract]) {
      for (const { start, block } of blocks.startsOf(segment, run, read)) {
        const name = nameOf(segment, run, start);
        const known = reader.memory.find('blocks', name);
        if (known) found.set(name, known);
        else missing.set(name, { name, segment, block });
      }
    }
  }
  for (const [name, block] of await groupMissing(reader, read.aggregate, { missing, lists })) {
    found.set(name, block);
  }
  return {
    *startsOf(segment, run) {
      for (const { start } of blocks.startsOf(segment, run, read)) {
        yield { start, block: found.get(nameOf(segment, run, start)) as KnownBlock };
      }
    },
  };
}

/** A block of addresses whose networks are not cached. */
type Ungrouped = {
  readonly name: string;
  readonly segment: ScopedSegment;
  readonly block: KnownBlock;
};

type GroupMissing = {
  readonly missing: ReadonlyMap<string, Ungrouped>;
  readonly lists: NetworkLists;
};

/** Groups all missing blocks in one task; returns them by name. */
async function groupMissing(
  { memory, threadPool, caller }: SegmentReader,
  aggregate: Aggregate,
  { missing, lists }: GroupMissing,
): Promise<ReadonlyMap<string, KnownBlock>> {
  const grouped = new Map<string, KnownBlock>();
  if (missing.size === 0) return grouped;
  const bySegment = [...groupBy([...missing.values()], ({ segment }) => segment)];
  const request = bySegment.map(([segment, ofSegment]) => ({
    map: lists.mapOf(segment),
    blocks: ofSegment.flatMap(({ block: { ids, column } }) => (column ? [{ ids, column }] : [])),
  }));
  const made = await threadPool.groupBlocks(aggregate, request, caller);
  for (const [i, [, ofSegment]] of bySegment.entries()) {
    for (const [blockIndex, { name }] of ofSegment.entries()) {
      const block = made[i]?.[blockIndex] as KnownBlock;
      grouped.set(name, block);
      memory.keep('blocks', name, block);
    }
  }
  return grouped;
}

/** Keys and blocks of the segments of several reads. */
export type PartsRead = { readonly keys: SegmentKeys; readonly blocks: SegmentBlocks };

export const openParts = (reader: SegmentReader): PartsRead => ({
  keys: new SegmentKeys(reader),
  blocks: new SegmentBlocks(reader),
});

/** The parts of a group to read. */
export type PartsToRead = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
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
    for (const run of [...cover.runs, ...cover.subtract]) {
      count += blocks.request(segment, run, read, requests);
    }
  }
  return count;
}

/** Returns the keys of a union that pass a filter. */
export async function findPassingKeys(
  reader: SegmentReader,
  union: PartsUnion,
  { name, match, isPriced = false }: NamedMatcher,
): Promise<KeySet> {
  const { memory, threadPool, caller } = reader;
  const known = memory.find('filters', `${union.name} ${name}`);
  if (known) return known;
  const { keys, limit } = union;
  let found: KeySet;
  if (limit === null || !isPriced) found = await match(keys);
  else {
    const [visible] = await threadPool.limit([keys], limit, caller);
    if (!visible) throw new Error('one list has one set');
    const matching = await match(await inPauses(reader, keysOfSet(keys, visible)));
    found = placedIn(visible, matching);
  }
  memory.keep('filters', `${union.name} ${name}`, found);
  return found;
}

/** Returns the keys of `visible` whose places in it are in `matching`. */
function placedIn(visible: KeySet, matching: KeySet): KeySet {
  const found = emptyKeySet(visible.count);
  let place = 0;
  for (let i = nextKey(visible, 0); i < visible.count; i = nextKey(visible, i + 1)) {
    if (hasKey(matching, place)) addKey(found, i);
    place += 1;
  }
  return found;
}

type BlocksToRead = {
  readonly read: MeterScan;
  readonly parts: readonly SegmentPart[];
  readonly union: PartsUnion;
  readonly blocks: BlocksByStart;
};

/** The blocks to add up, their keys by their ordinals in the union. */
export function blocksToAdd(
  { memory }: SegmentReader,
  { read, parts, union, blocks }: BlocksToRead,
): BlockReadings[] {
  const added: BlockReadings[] = [];
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
        added.push({ ids: toUnion(run, started), column, sign });
      }
    }
  }
  return added;
}
