import type { LocatedRange, LocatedTile } from '../../segments/pages/directory.ts';
import type { SectionLocation, Sections } from '../../segments/pages/sections.ts';
import type { StoredTile, TileRows } from '../kernel/blocks/tile-rows.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { type SectionRequests, type SegmentReader, wholeName } from '../snapshot/segment-reader.ts';

/** A tile of a range of a segment's keys. meterIndex: of the meter to read; null: only keys and times. */
export type TileOfRange = {
  readonly segment: ScopedSegment;
  readonly range: LocatedRange;
  readonly tile: LocatedTile;
  readonly meterIndex: number | null;
};

type TilesOptions = {
  /** Whether decoded tiles are cached; without that, reads of very many push out all else. */
  readonly isKept: boolean;
};

/** The rows of tiles that some reads need, each once. Tiles that are not cached are read. */
export class SegmentTiles {
  readonly #reader: SegmentReader;
  readonly #options: TilesOptions;
  readonly #found = new Map<string, TileRows>();
  readonly #missing = new Map<string, TileOfRange>();

  constructor(reader: SegmentReader, options: TilesOptions = { isKept: true }) {
    this.#reader = reader;
    this.#options = options;
  }

  /** Looks up a tile in the cache, and requests it if it is not there. */
  request(each: TileOfRange, requests: SectionRequests): void {
    const name = this.#name(each);
    if (this.#found.has(name) || this.#missing.has(name)) return;
    const known = this.#reader.memory.find('tiles', name);
    if (known) {
      this.#found.set(name, known);
      return;
    }
    this.#missing.set(name, each);
    const { keys, times } = each.tile;
    requests.add(each.segment, [keys, times, totalsOf(each), valuesOf(each)]);
  }

  isCached(each: TileOfRange): boolean {
    return this.#reader.memory.has('tiles', this.#name(each));
  }

  /** Decodes the sections that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    const missing = [...this.#missing];
    this.#missing.clear();
    if (missing.length === 0) return;
    const { threadPool, memory, caller } = this.#reader;
    const stored = missing.map(([, each]) => toStored(each, sectionsOf(each.segment)));
    const { tiles } = await threadPool.decode({ blocks: [], tiles: stored }, caller);
    for (const [i, [name]] of missing.entries()) {
      const rows = tiles[i] as TileRows;
      this.#found.set(name, rows);
      if (this.#options.isKept) memory.keep('tiles', name, rows);
    }
  }

  /** Returns the rows of a requested tile. */
  of(each: TileOfRange): TileRows {
    const rows = this.#found.get(this.#name(each));
    if (!rows) throw new Error(`a tile of segment ${each.segment.segmentId} was not requested`);
    return rows;
  }

  #name({ segment, range, tile, meterIndex }: TileOfRange): string {
    return `${wholeName(this.#reader, segment)} ${tile.start} ${range.firstOrdinal} ${meterIndex}`;
  }
}

const totalsOf = ({ tile, meterIndex }: TileOfRange): SectionLocation | null =>
  meterIndex === null ? null : (tile.totals[meterIndex] ?? null);

const valuesOf = ({ tile, meterIndex }: TileOfRange): SectionLocation | null =>
  meterIndex === null ? null : (tile.values[meterIndex] ?? null);

function toStored(each: TileOfRange, sections: Sections): StoredTile {
  const { keyCount, firstOrdinal } = each.range;
  const { keys, times } = each.tile;
  if (keys === null || times === null) throw new Error('a tile has keys and times');
  const totals = totalsOf(each);
  const values = valuesOf(each);
  return {
    firstOrdinal,
    keyCount,
    keys: sections(keys),
    times: sections(times),
    totals: totals && sections(totals),
    values: values && sections(values),
  };
}

/** Returns the index of the first tile of a range that does not start before a time. */
function firstTile({ tiles }: LocatedRange, start: number): number {
  let from = 0;
  let to = tiles.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((tiles[middle] as LocatedTile).start < start) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns the tiles of a range that start from `from` to before `to`. */
export const tilesWithin = (
  range: LocatedRange,
  { from, to }: { readonly from: number; readonly to: number },
): readonly LocatedTile[] => range.tiles.slice(firstTile(range, from), firstTile(range, to));

/** Returns the tile of a range that starts then; null: it has none. */
export function tileAt(range: LocatedRange, start: number): LocatedTile | null {
  const tile = range.tiles[firstTile(range, start)];
  return tile?.start === start ? tile : null;
}
