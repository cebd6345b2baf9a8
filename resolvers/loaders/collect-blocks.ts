import { type BlocksRead, selectBlocks } from '../../db/queries/select-blocks.ts';
import type { TimeBound } from '../../db/read-session.ts';
import { floorTo } from '../../domain/interval.ts';
import type { BlockUnit } from '../../topk/block-page.ts';
import type { BlockRun } from '../../topk/cover.ts';
import { runSeconds } from '../../topk/resolutions.ts';
import type { BlockPlace, KnownBlock } from './block-memory.ts';
import { catchUp } from './catch-up.ts';
import type { ContextState, NodeReader } from './node-reader.ts';
import type { MeterRead, ReadPlan } from './read-plan.ts';

/** The slice_id of blocks that are of all slices together. */
export const ALL_SLICES = 0;

/** The blocks of some plans. */
export type Blocks = {
  /** Those with the readings of a slot; undefined: there is nothing in that place. */
  readonly at: (place: BlockPlace, slot: number) => KnownBlock | undefined;
  /** How many had to be read, of a group and for a slot. */
  readonly readCount: (groupId: number, slot: number) => number;
};

export type PlannedRead = {
  readonly state: ContextState;
  readonly read: MeterRead;
  readonly plan: ReadPlan;
};

/** A block that is not remembered, the slots that are wanted, and where its run may begin. */
type Missing = {
  readonly state: ContextState;
  readonly place: BlockPlace;
  readonly least: number;
  readonly slots: Set<number>;
};

/**
 * The blocks of all plans: those that are remembered, and all others in one statement, each once.
 * What was read is remembered, unless the data have moved on meanwhile.
 */
export async function collectBlocks(
  reader: NodeReader,
  planned: readonly PlannedRead[],
  bound: TimeBound | null,
): Promise<Blocks> {
  const packed = planned.filter(({ plan }) => plan.isPacked);
  for (const state of new Set(packed.map(({ state: each }) => each))) {
    await catchUp(reader, state, bound);
  }
  const found = new Map<string, KnownBlock>();
  const missing = findBlocks(reader, packed, found);
  if (missing.size > 0) await readMissing(reader, [...missing.values()], found, bound);
  return {
    at: (place, slot) => found.get(blockKey(place, slot)),
    readCount: (groupId, slot) =>
      [...missing.values()].filter(
        ({ place, slots }) => place.groupId === groupId && slots.has(slot),
      ).length,
  };
}

/** The blocks of some runs, one by one. */
export function* blockStarts(runs: readonly BlockRun[], groupId: number): Generator<BlockPlace> {
  for (const { level, from, to } of runs) {
    for (let start = from; start < to; start += level) yield { groupId, level, start };
  }
}

const blockKey = ({ groupId, level, start }: BlockPlace, slot: number): string =>
  `${groupId} ${level} ${start} ${slot}`;

/** Puts what is remembered into `found` and returns what is not. */
function findBlocks(
  { memory }: NodeReader,
  planned: readonly PlannedRead[],
  found: Map<string, KnownBlock>,
): Map<string, Missing> {
  const missing = new Map<string, Missing>();
  for (const { state, read, plan } of planned) {
    const { groupId, slot } = read;
    for (const place of blockStarts([...plan.runs, ...plan.less], groupId)) {
      const known = memory.blocks.find(state.memoryKey, state.versions.version, place, slot);
      if (known) found.set(blockKey(place, slot), known);
      else miss(missing, { state, place, least: leastStart(state, plan, place) }, slot);
    }
  }
  return missing;
}

function miss(missing: Map<string, Missing>, block: Omit<Missing, 'slots'>, slot: number): void {
  const { groupId, level, start } = block.place;
  const key = `${groupId} ${level} ${start}`;
  const known = missing.get(key);
  if (known) known.slots.add(slot);
  else missing.set(key, { ...block, slots: new Set([slot]) });
}

/** Where the run that a block may be in begins at the earliest. */
function leastStart(
  { catalog }: ContextState,
  { resolutions }: ReadPlan,
  { level, start }: BlockPlace,
): number {
  if (!resolutions.base.includes(level)) return start;
  return floorTo(start, runSeconds(resolutions, level, catalog.sliceSeconds));
}

async function readMissing(
  { session, memory, signal }: NodeReader,
  missing: readonly Missing[],
  found: Map<string, KnownBlock>,
  bound: TimeBound | null,
): Promise<void> {
  const reads = toReads(missing);
  const runs = await selectBlocks(session, reads, bound);
  const page = await memory.kernel.unpack(reads, runs, signal);
  const units = new Map<string, BlockUnit[]>();
  for (const unit of page.units) {
    const key = `${unit.groupId} ${unit.level} ${unit.start}`;
    const known = units.get(key);
    if (known) known.push(unit);
    else units.set(key, [unit]);
  }
  for (const { place, slots } of missing) {
    const known = units.get(`${place.groupId} ${place.level} ${place.start}`) ?? [];
    for (const slot of slots) found.set(blockKey(place, slot), { units: known, slots });
  }
  for (const state of new Set(missing.map((each) => each.state))) {
    // Read in another snapshot, it may be of another version.
    if (state.snapshot !== session.snapshot) continue;
    const groups = new Set(
      missing.filter((each) => each.state === state).map(({ place }) => place.groupId),
    );
    const own = reads.filter(({ groupId }) => groups.has(groupId));
    memory.blocks.keep(state.memoryKey, state.versions.version, own, page);
  }
}

/** Blocks that follow each other and of which the same is wanted as one read each. */
function toReads(missing: readonly Missing[]): BlocksRead[] {
  const ordered = missing.toSorted(
    ({ place: a }, { place: b }) => a.groupId - b.groupId || a.level - b.level || a.start - b.start,
  );
  const reads: BlocksRead[] = [];
  for (const { place, least, slots: wanted } of ordered) {
    const { groupId, level, start } = place;
    const slots = [...wanted].sort((a, b) => a - b);
    const last = reads.at(-1);
    const follows =
      last?.groupId === groupId &&
      last.level === level &&
      last.to === start &&
      last.slots.join() === slots.join();
    if (last && follows) reads[reads.length - 1] = { ...last, to: start + level };
    else reads.push({ groupId, level, least, from: start, to: start + level, slots });
  }
  return reads;
}
