import type { Lanes } from '../segments/codes/lanes.ts';
import {
  type BlockPlace,
  blockPlaces,
  type ColumnPlace,
  columnPlaces,
  FLAG,
  readColumn,
  readIds,
} from './packed-run.ts';
import { boundOf, type UnitColumn } from './unit-column.ts';

/** Which blocks of a group are wanted, and the slots of which meters. */
export type BlockRange = {
  readonly groupId: number;
  readonly level: number;
  readonly from: number;
  readonly to: number;
  readonly slots: readonly number[];
};

/** A run as it is stored: `keys` is its part 0, `values` the parts of the range's slots. */
export type StoredRun = {
  /** Place of the BlockRange that asked for it. */
  readonly range: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly shard: number;
  readonly start: number;
  readonly ends: readonly number[];
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
};

/**
 * A block, unpacked, of one probe and slice: the keys of all shards one after the other, those of
 * shard n ending at shardEnds[n], and by slot their readings (null: there are none). Coarse blocks
 * are of all slices together and have sliceId 0. All arrays lie in memory that threads share.
 */
export type BlockUnit = {
  readonly groupId: number;
  readonly level: number;
  readonly start: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly ids: Uint32Array;
  readonly shardEnds: Uint32Array;
  readonly columns: ReadonlyMap<number, UnitColumn | null>;
};

export type BlockPage = { readonly units: readonly BlockUnit[]; readonly bytes: number };

type Segment = {
  readonly run: StoredRun;
  readonly place: BlockPlace;
  /** By place of the slot in the range. */
  readonly columns: readonly ColumnPlace[];
};

type UnitPlan = { readonly range: BlockRange; readonly segments: Segment[] };

/** Unpacks stored runs into one page of shared memory, without blocks outside of their range. */
export function unpackPage(ranges: readonly BlockRange[], runs: readonly StoredRun[]): BlockPage {
  const plans = planUnits(ranges, runs);
  const memory = allocate(plans);
  return { units: plans.map((plan) => unpackUnit(plan, memory)), bytes: memory.bytes };
}

function planUnits(ranges: readonly BlockRange[], runs: readonly StoredRun[]): UnitPlan[] {
  const plans = new Map<string, UnitPlan>();
  for (const run of runs) {
    const range = ranges[run.range];
    if (!range) throw new Error(`a run was stored for range ${run.range}, which nobody asked for`);
    const places = blockPlaces(run.keys, run.start, range.level);
    const columns = slotColumns(run, range.slots, places.length);
    for (const [i, place] of places.entries()) {
      if (place.start < range.from || place.start >= range.to) continue;
      const unit = `${run.range} ${place.start} ${run.sliceId} ${run.probeId}`;
      const plan = plans.get(unit) ?? { range, segments: [] };
      plans.set(unit, plan);
      plan.segments.push({ run, place, columns: columns.map((each) => each[i] ?? NOTHING) });
    }
  }
  for (const { segments } of plans.values()) segments.sort((a, b) => a.run.shard - b.run.shard);
  return [...plans.values()];
}

const NOTHING: ColumnPlace = { flags: 0, at: 0 };

/** The places of the values of each slot. A run from before a meter was added has none of it. */
function slotColumns(
  { ends, values }: StoredRun,
  slots: readonly number[],
  blocks: number,
): ColumnPlace[][] {
  let at = 0;
  return slots.map((slot) => {
    const length = (ends[slot] ?? 0) - (ends[slot - 1] ?? 0);
    if (length <= 0) return [];
    at += length;
    return columnPlaces(values, at - length, blocks);
  });
}

const keyCount = (segments: readonly Segment[]): number =>
  segments.reduce((count, { place }) => count + place.keyCount, 0);

const flagsOf = (segments: readonly Segment[], slot: number): number =>
  segments.reduce((flags, { columns }) => flags | (columns[slot]?.flags ?? 0), 0);

/** How many arrays of doubles a column takes. */
const laneCount = (flags: number): number =>
  flags === 0
    ? 0
    : 1 +
      ((flags & FLAG.wide) !== 0 ? 1 : 0) +
      ((flags & FLAG.counts) !== 0 ? 1 : 0) +
      ((flags & FLAG.wideCounts) !== 0 ? 1 : 0);

/** Hands out pieces of two shared buffers, one for doubles and one for key ids. */
type Memory = {
  readonly bytes: number;
  doubles(length: number): Float64Array;
  words(length: number): Uint32Array;
};

function allocate(plans: readonly UnitPlan[]): Memory {
  let doubles = 0;
  let words = 0;
  for (const { range, segments } of plans) {
    const keys = keyCount(segments);
    words += keys + shardCountOf(segments);
    for (const place of range.slots.keys()) doubles += keys * laneCount(flagsOf(segments, place));
  }
  const [ofDoubles, ofWords] = [
    new SharedArrayBuffer(doubles * 8),
    new SharedArrayBuffer(words * 4),
  ];
  let [doublesAt, wordsAt] = [0, 0];
  return {
    bytes: doubles * 8 + words * 4,
    doubles(length) {
      doublesAt += length * 8;
      return new Float64Array(ofDoubles, doublesAt - length * 8, length);
    },
    words(length) {
      wordsAt += length * 4;
      return new Uint32Array(ofWords, wordsAt - length * 4, length);
    },
  };
}

const shardCountOf = (segments: readonly Segment[]): number =>
  (segments.at(-1)?.run.shard ?? 0) + 1;

function unpackUnit({ range, segments }: UnitPlan, memory: Memory): BlockUnit {
  const keys = keyCount(segments);
  const shardEnds = memory.words(shardCountOf(segments));
  const ids = memory.words(keys);
  let row = 0;
  let shard = 0;
  for (const { run, place } of segments) {
    for (; shard < run.shard; shard += 1) shardEnds[shard] = row;
    readIds(run.keys, place.idsAt, place.keyCount, ids, row);
    row += place.keyCount;
  }
  for (; shard < shardEnds.length; shard += 1) shardEnds[shard] = row;
  const columns = new Map(
    range.slots.map((slot, place) => [slot, unpackColumn(segments, place, keys, memory)]),
  );
  const { groupId, level } = range;
  const { probeId, sliceId } = segments[0]?.run ?? { probeId: 0, sliceId: 0 };
  const start = segments[0]?.place.start ?? range.from;
  return { groupId, level, start, probeId, sliceId, ids, shardEnds, columns };
}

function unpackColumn(
  segments: readonly Segment[],
  slot: number,
  keys: number,
  memory: Memory,
): UnitColumn | null {
  const flags = flagsOf(segments, slot);
  if (flags === 0) return null;
  const lanes = (wide: number): Lanes => ({
    low: memory.doubles(keys),
    high: (flags & wide) !== 0 ? memory.doubles(keys) : null,
  });
  const values = lanes(FLAG.wide);
  const counts = (flags & FLAG.counts) !== 0 ? lanes(FLAG.wideCounts) : null;
  let to = 0;
  for (const { run, place, columns } of segments) {
    const column = columns[slot] ?? NOTHING;
    if (column.flags === 0) values.low.fill(Number.NaN, to, to + place.keyCount);
    else readColumn(run.values, column, place.keyCount, { values, counts, to });
    to += place.keyCount;
  }
  return {
    ...{ values, counts, bound: boundOf(values) },
    countBound: counts === null ? keys : boundOf(counts),
  };
}
