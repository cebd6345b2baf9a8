import { groupBy } from '../../domain/group-by.ts';
import type { LocatedRange } from '../../segments/pages/directory.ts';
import { spanOf } from '../../segments/pages/read-range.ts';
import type { SectionLocation, Sections } from '../../segments/pages/sections.ts';
import { tileGrid, tileOf } from '../../segments/tiles/tile-seconds.ts';
import type { KnownBlock } from '../cache/segment-cache.ts';
import type { StoredBlock } from '../kernel/blocks/decode-blocks.ts';
import type { BlockToSee } from '../kernel/blocks/take-visible.ts';
import type { BucketRange, TileCut } from '../kernel/blocks/tile-rows.ts';
import { type BlockRun, blockStarts } from '../kernel/cover/cover.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import {
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';
import { SegmentTiles, type TileOfRange, tileAt } from './segment-tiles.ts';
import { VisibleKeys } from './visible-keys.ts';

/**
 * What to read of blocks. meterIndex: null: no meter, only the keys. mapsKeys: the blocks are no
 * readings, but say where keys of other segments are, so they have all keys whatever may be seen.
 */
export type BlockMeter = Pick<MeterScan, 'bucketSeconds' | 'aggregate'> & {
  readonly meterIndex: number | null;
  readonly mapsKeys?: true;
};

/** A block of a segment; `run` consists of this block. */
type OneBlock = {
  readonly segment: ScopedSegment;
  readonly run: BlockRun;
  readonly meter: BlockMeter;
};

/** A block that is cut from the rows of a tile. */
type CutBlock = OneBlock & {
  readonly tiles: readonly TileOfRange[];
  readonly part: BucketRange;
};

/** A block of all keys, whether they may be seen or not. */
type MadeBlock = { readonly of: OneBlock; readonly block: KnownBlock };

export type StartedBlock = { readonly start: number; readonly block: KnownBlock };

/** Returns the blocks of a segment's run that have readings of the meter. */
export type BlocksByStart = {
  readonly startsOf: (
    segment: ScopedSegment,
    run: BlockRun,
    meter: BlockMeter,
  ) => Iterable<StartedBlock>;
};

/** Identifies a block of a segment. */
export const blockName = ({ kind, seconds }: BlockRun, start: number): string =>
  `${kind} ${seconds} ${start}`;

/** The blocks that some reads need, each once. Blocks that are not cached are read. */
export class SegmentBlocks {
  readonly #reader: SegmentReader;
  readonly #tiles: SegmentTiles;
  readonly #visible: VisibleKeys;
  readonly #found = new Map<string, KnownBlock>();
  readonly #missing = new Map<string, OneBlock>();
  readonly #cuts = new Map<string, CutBlock>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.#tiles = new SegmentTiles(reader);
    this.#visible = new VisibleKeys(reader);
  }

  /**
   * Looks up the blocks of a run in the cache, and requests the others. Returns the number of
   * requested blocks.
   */
  request(
    segment: ScopedSegment,
    run: BlockRun,
    meter: BlockMeter,
    requests: SectionRequests,
  ): number {
    let count = 0;
    for (const start of blockStarts(run)) {
      const block = { segment, run: blockAt(run, start), meter };
      const name = this.#name(block);
      if (this.#found.has(name)) continue;
      const known = this.#reader.memory.find('blocks', name);
      if (known) {
        this.#found.set(name, known);
        continue;
      }
      count += 1;
      if (this.#missing.has(name) || this.#cuts.has(name)) continue;
      if (!meter.mapsKeys) this.#visible.request(segment, requests);
      const cut = this.#cutOf(block);
      if (cut) {
        this.#cuts.set(name, cut);
        for (const tile of cut.tiles) this.#tiles.request(tile, requests);
      } else {
        this.#missing.set(name, block);
        for (const { keys, totals } of rangesOf(block)) requests.add(segment, [keys, totals]);
      }
    }
    return count;
  }

  /** A part is cut from its tile, and so is a whole tile whose rows are cached. */
  #cutOf(block: OneBlock): CutBlock | null {
    const { segment, run, meter } = block;
    if (run.kind === 'span') return null;
    const { tileSeconds, ranges } = segment.directory();
    const start = tileOf(run.from, tileSeconds);
    const { meterIndex } = meter;
    const tiles = ranges.flatMap((range): TileOfRange[] => {
      const tile = tileAt(range, start);
      return tile ? [{ segment, range, tile, meterIndex }] : [];
    });
    if (run.kind === 'tiles') {
      const isCached = tiles.length > 0 && tiles.every((each) => this.#tiles.isCached(each));
      return isCached ? { ...block, tiles, part: ALL_BUCKETS } : null;
    }
    const { origin, bucketSeconds } = tileGrid(start, meter.bucketSeconds);
    const indexOf = (at: number): number => (at - origin) / bucketSeconds;
    return { ...block, tiles, part: { first: indexOf(run.from), end: indexOf(run.to) } };
  }

  /** Decodes the sections that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    // Blocks first: a thread decodes them meanwhile.
    const [blocks] = await Promise.all([
      this.#decodeBlocks(sectionsOf),
      this.#tiles.decode(sectionsOf),
      this.#visible.decode(sectionsOf),
    ]);
    await this.#keep([...blocks, ...(await this.#cutParts())]);
  }

  async #decodeBlocks(sectionsOf: (segment: ScopedSegment) => Sections): Promise<MadeBlock[]> {
    const missing = [...this.#missing.values()];
    this.#missing.clear();
    if (missing.length === 0) return [];
    const { threadPool, caller } = this.#reader;
    const stored = missing.map((each) => toStored(each, sectionsOf(each.segment)));
    const { blocks } = await threadPool.decode({ blocks: stored, tiles: [] }, caller);
    return missing.map((of, i) => ({ of, block: blocks[i] as KnownBlock }));
  }

  async #cutParts(): Promise<MadeBlock[]> {
    const cuts = [...this.#cuts.values()];
    this.#cuts.clear();
    if (cuts.length === 0) return [];
    const ofTiles = [...groupBy(cuts, (each) => this.#tileName(each)).values()];
    const { threadPool, caller } = this.#reader;
    const asked = ofTiles.map((ofTile) => this.#toCut(ofTile));
    const made = await threadPool.cut(asked, caller);
    return ofTiles.flatMap((ofTile, i) =>
      ofTile.map((of, part) => ({ of, block: made[i]?.[part] as KnownBlock })),
    );
  }

  /** Keeps blocks with the keys that may be seen. */
  async #keep(made: readonly MadeBlock[]): Promise<void> {
    const { threadPool, caller, memory } = this.#reader;
    const limited: (MadeBlock & BlockToSee)[] = [];
    const keep = (of: OneBlock, block: KnownBlock): void => {
      const name = this.#name(of);
      this.#found.set(name, block);
      memory.keep('blocks', name, block);
    };
    for (const { of, block } of made) {
      const visible = of.meter.mapsKeys ? null : this.#visible.of(of.segment);
      if (visible === null) keep(of, block);
      else limited.push({ of, block, visible });
    }
    if (limited.length === 0) return;
    const toSee = limited.map(({ block, visible }) => ({ block, visible }));
    for (const [i, block] of (await threadPool.takeVisible(toSee, caller)).entries()) {
      keep((limited[i] as MadeBlock).of, block);
    }
  }

  #toCut(ofTile: readonly CutBlock[]): TileCut {
    const [first] = ofTile;
    if (!first) throw new Error('a tile without parts');
    return {
      aggregate: first.meter.aggregate,
      ranges: first.tiles.map((each) => this.#tiles.of(each)),
      parts: ofTile.map(({ part }) => part),
    };
  }

  #tileName({ segment, run, meter: { meterIndex } }: CutBlock): string {
    const start = tileOf(run.from, segment.directory().tileSeconds);
    return `${segmentName(this.#reader, segment)} ${start} ${meterIndex}`;
  }

  /** Returns the blocks of a requested run that have readings of the meter. */
  *of(segment: ScopedSegment, run: BlockRun, meter: BlockMeter): Generator<KnownBlock> {
    for (const { block } of this.startsOf(segment, run, meter)) yield block;
  }

  /** Like `of`, with the start of each block. */
  *startsOf(segment: ScopedSegment, run: BlockRun, meter: BlockMeter): Generator<StartedBlock> {
    for (const start of blockStarts(run)) {
      const block = this.#at({ segment, run: blockAt(run, start), meter });
      if (block.column) yield { start, block };
    }
  }

  /** Returns the keys of each block of a requested run, even if the meter has no reading. */
  *keysOf(segment: ScopedSegment, run: BlockRun, meter: BlockMeter): Generator<Uint32Array> {
    for (const start of blockStarts(run)) {
      yield this.#at({ segment, run: blockAt(run, start), meter }).ids;
    }
  }

  #at(block: OneBlock): KnownBlock {
    const found = this.#found.get(this.#name(block));
    if (!found) {
      throw new Error(`a block of segment ${block.segment.segmentId} was not requested`);
    }
    return found;
  }

  #name({ segment, run, meter: { meterIndex } }: OneBlock): string {
    return `${segmentName(this.#reader, segment)} ${blockName(run, run.from)} ${meterIndex}`;
  }
}

const blockAt = ({ kind, seconds }: BlockRun, start: number): BlockRun => ({
  kind,
  seconds,
  from: start,
  to: start + seconds,
});

/** All buckets of a tile. */
const ALL_BUCKETS: BucketRange = { first: 0, end: 65_536 };

/** Where a block is stored in a range. keys: null: it has all keys of the range. */
type BlockOfRange = {
  readonly range: LocatedRange;
  readonly keys: SectionLocation | null;
  readonly totals: SectionLocation | null;
};

/** Returns where the ranges of a segment have a block: a tile, or the span. */
function rangesOf({ segment, run, meter: { meterIndex } }: OneBlock): BlockOfRange[] {
  return segment.directory().ranges.flatMap((range): BlockOfRange[] => {
    const stored = run.kind === 'span' ? spanOf(range) : tileAt(range, run.from);
    if (stored === null) return [];
    const { keys, totals } = stored;
    return [{ range, keys, totals: meterIndex === null ? null : (totals[meterIndex] ?? null) }];
  });
}

const toStored = (block: OneBlock, sections: Sections): StoredBlock[] =>
  rangesOf(block).map(({ range: { firstOrdinal, keyCount }, keys, totals }) => ({
    firstOrdinal,
    keyCount,
    keys: keys && sections(keys),
    totals: totals && sections(totals),
  }));
