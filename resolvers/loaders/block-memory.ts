import type { BlockPage, BlockRange, BlockUnit } from '../../topk/block-page.ts';
import { Tally } from './tally.ts';

/** Blocks of one start, of all probes and slices; none where there are no readings. */
export type KnownBlock = {
  readonly units: readonly BlockUnit[];
  readonly slots: ReadonlySet<number>;
};

type Entry = KnownBlock & { readonly pages: readonly Page[] };

/** What was unpacked together is forgotten together. */
type Page = { readonly bytes: number; readonly forget: Set<() => void> };

/** By group, resolution and start. */
type Starts = Map<number, Entry>;
type Levels = Map<number, Starts>;

/** Blocks of a context on one node as they are at one version. */
type ContextBlocks = { version: number; readonly groups: Map<number, Levels> };

export type ChangedBlocks = {
  readonly groupId: number;
  readonly from: number;
  readonly to: number;
};

/** About what an entry takes besides the arrays of its blocks. */
const ENTRY_BYTES = 600;

/**
 * Unpacked blocks, kept from one request to the next in a bounded number of bytes; those that were
 * not used for longest are forgotten first. What is remembered of a context holds at one version
 * of it, and moves on to the next by forgetting what that one changed: nothing in here is stale.
 */
export class BlockMemory {
  readonly tally = new Tally();
  readonly #maxBytes: number;
  readonly #contexts = new Map<string, ContextBlocks>();
  /** In the order of their last use. */
  readonly #pages = new Set<Page>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The version at which a context is remembered; null: nothing is. */
  versionOf(context: string): number | null {
    return this.#contexts.get(context)?.version ?? null;
  }

  /** Goes from one version to a later one; changes null: any block may be another one. */
  moveOn(context: string, version: number, changes: readonly ChangedBlocks[] | null): void {
    const blocks = this.#contexts.get(context);
    if (!blocks || changes === null) {
      if (blocks) for (const levels of blocks.groups.values()) forgetLevels(levels);
      this.#contexts.set(context, { version, groups: new Map() });
      return;
    }
    if (blocks.version >= version) return;
    for (const change of changes) forgetChanged(blocks.groups.get(change.groupId), change);
    blocks.version = version;
  }

  /** What is known of a block at this version, readings of the slot included; else undefined. */
  find(context: string, version: number, place: BlockPlace, slot: number): KnownBlock | undefined {
    const blocks = this.#contexts.get(context);
    const groups = blocks?.version === version ? blocks.groups : undefined;
    const entry = groups?.get(place.groupId)?.get(place.level)?.get(place.start);
    if (!entry?.slots.has(slot)) {
      this.tally.count(0, 1);
      return undefined;
    }
    this.tally.count(1, 0);
    for (const page of entry.pages) this.#use(page);
    return entry;
  }

  /** Remembers what a page has of the ranges it was read for, if the version is still this one. */
  keep(context: string, version: number, ranges: readonly BlockRange[], page: BlockPage): void {
    const blocks = this.#contexts.get(context);
    if (blocks?.version !== version) return;
    const count = ranges.reduce((sum, { level, from, to }) => sum + (to - from) / level, 0);
    const bytes = page.bytes + count * ENTRY_BYTES;
    // Larger than a good part of all memory, it would push out what many others use.
    if (bytes > this.#maxBytes / 2) return;
    const kept: Page = { bytes, forget: new Set() };
    this.#bytes += bytes;
    this.#pages.add(kept);
    const units = unitsByPlace(page.units);
    for (const range of ranges) {
      for (let start = range.from; start < range.to; start += range.level) {
        const place = { groupId: range.groupId, level: range.level, start };
        keepBlock(blocks.groups, place, units.get(placeKey(place)) ?? [], range.slots, kept);
      }
    }
    this.#shrink();
  }

  clear(): void {
    this.#contexts.clear();
    this.#pages.clear();
    this.#bytes = 0;
  }

  #use(page: Page): void {
    if (!this.#pages.delete(page)) return;
    this.#pages.add(page);
  }

  #shrink(): void {
    for (const page of this.#pages) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#pages.delete(page);
      this.#bytes -= page.bytes;
      for (const forget of page.forget) forget();
    }
  }
}

export type BlockPlace = {
  readonly groupId: number;
  readonly level: number;
  readonly start: number;
};

const placeKey = ({ groupId, level, start }: BlockPlace): string => `${groupId} ${level} ${start}`;

function unitsByPlace(units: readonly BlockUnit[]): Map<string, BlockUnit[]> {
  const byPlace = new Map<string, BlockUnit[]>();
  for (const unit of units) {
    const key = placeKey(unit);
    const known = byPlace.get(key);
    if (known) known.push(unit);
    else byPlace.set(key, [unit]);
  }
  return byPlace;
}

function keepBlock(
  groups: Map<number, Levels>,
  { groupId, level, start }: BlockPlace,
  units: readonly BlockUnit[],
  slots: readonly number[],
  page: Page,
): void {
  const levels: Levels = groups.get(groupId) ?? new Map();
  groups.set(groupId, levels);
  const starts: Starts = levels.get(level) ?? new Map();
  levels.set(level, starts);
  const before = starts.get(start);
  const entry: Entry = {
    units: before ? joinUnits(before.units, units) : units,
    slots: new Set([...(before?.slots ?? []), ...slots]),
    pages: [...(before?.pages ?? []), page],
  };
  starts.set(start, entry);
  page.forget.add(() => {
    if (starts.get(start)?.pages.includes(page)) starts.delete(start);
  });
}

/** The same blocks with the slots of both. */
const joinUnits = (before: readonly BlockUnit[], added: readonly BlockUnit[]): BlockUnit[] =>
  added.map((unit) => {
    const same = before.find(
      ({ probeId, sliceId }) => probeId === unit.probeId && sliceId === unit.sliceId,
    );
    return { ...unit, columns: new Map([...(same?.columns ?? []), ...unit.columns]) };
  });

function forgetLevels(levels: Levels): void {
  for (const starts of levels.values()) starts.clear();
}

function forgetChanged(levels: Levels | undefined, { from, to }: ChangedBlocks): void {
  for (const [level, starts] of levels ?? []) {
    for (const start of starts.keys()) {
      if (start < to && start + level > from) starts.delete(start);
    }
  }
}
