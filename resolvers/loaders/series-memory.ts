import type { Interval } from '../../domain/interval.ts';
import type { ShardBlock } from '../../topk/packed-run.ts';
import type { ChangedBlocks } from './block-memory.ts';
import { Tally } from './tally.ts';

/** Where the series of one slot are stored: in one slice, of one probe. */
export type SeriesPlace = {
  readonly groupId: number;
  readonly slot: number;
  readonly sliceId: number;
  readonly probeId: number;
};

/** A key's readings by place on the slice's grid of topper buckets; null: it has none. */
export type SeriesReadings = Pick<ShardBlock, 'ids' | 'columns'> | null;

/** By key, as `keyText` calls it. */
export type SeriesOfKeys = ReadonlyMap<string, SeriesReadings>;

/** What is known of a place. `covers` is its slice's interval. */
type Shelf = {
  readonly groupId: number;
  readonly covers: Interval;
  readonly keys: Map<string, SeriesReadings>;
  bytes: number;
  readonly forget: () => void;
};

/** Of a context on one node, at one version. */
type ContextSeries = { version: number; readonly shelves: Map<string, Shelf> };

/** About what a key takes besides the arrays of its readings. */
const ENTRY_BYTES = 400;

/**
 * Unpacked series, kept from one request to the next in a bounded number of bytes. Places that were
 * not used for longest are forgotten first. As in BlockMemory, what is remembered of a context
 * holds at one version of it, and moves on to the next by forgetting what that one changed.
 */
export class SeriesMemory {
  /** Of series: a place that is known need not have every key. */
  readonly tally = new Tally();
  readonly #maxBytes: number;
  readonly #contexts = new Map<string, ContextSeries>();
  /** In the order of their last use. */
  readonly #shelves = new Set<Shelf>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Goes from one version to a later one; changes null: any series may be another one. */
  moveOn(context: string, version: number, changes: readonly ChangedBlocks[] | null): void {
    const series = this.#contexts.get(context) ?? { version, shelves: new Map<string, Shelf>() };
    this.#contexts.set(context, series);
    if (changes !== null && series.version >= version) return;
    series.version = version;
    for (const shelf of series.shelves.values()) {
      if (changes === null || changes.some((change) => isChanged(shelf, change))) this.#drop(shelf);
    }
  }

  /** What is known of a place at this version; a key that is not in it is not known. */
  find(context: string, version: number, place: SeriesPlace): SeriesOfKeys | undefined {
    const series = this.#contexts.get(context);
    const shelf = series?.version === version ? series.shelves.get(placeText(place)) : undefined;
    if (shelf) this.#use(shelf);
    return shelf?.keys;
  }

  /** Remembers series of a place, if the version is still this one. */
  keep(
    context: string,
    version: number,
    place: SeriesPlace & { readonly covers: Interval },
    keys: SeriesOfKeys,
  ): void {
    const series = this.#contexts.get(context);
    if (series?.version !== version) return;
    const name = placeText(place);
    const known = series.shelves.get(name);
    const shelf: Shelf = known ?? {
      ...{ groupId: place.groupId, covers: place.covers, keys: new Map(), bytes: 0 },
      forget: () => series.shelves.delete(name),
    };
    series.shelves.set(name, shelf);
    for (const [key, readings] of keys) {
      const bytes = bytesOf(readings) - (shelf.keys.has(key) ? bytesOf(shelf.keys.get(key)) : 0);
      shelf.keys.set(key, readings);
      shelf.bytes += bytes;
      this.#bytes += bytes;
    }
    this.#use(shelf);
    this.#shrink();
  }

  clear(): void {
    this.#contexts.clear();
    this.#shelves.clear();
    this.#bytes = 0;
  }

  #use(shelf: Shelf): void {
    this.#shelves.delete(shelf);
    this.#shelves.add(shelf);
  }

  #drop(shelf: Shelf): void {
    this.#shelves.delete(shelf);
    this.#bytes -= shelf.bytes;
    shelf.forget();
  }

  #shrink(): void {
    for (const shelf of this.#shelves) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(shelf);
    }
  }
}

const placeText = ({ groupId, slot, sliceId, probeId }: SeriesPlace): string =>
  `${groupId} ${slot} ${sliceId} ${probeId}`;

const isChanged = ({ groupId, covers }: Shelf, change: ChangedBlocks): boolean =>
  groupId === change.groupId && covers.from < change.to && covers.to > change.from;

function bytesOf(readings: SeriesReadings | undefined): number {
  if (!readings) return ENTRY_BYTES;
  let bytes = ENTRY_BYTES + readings.ids.byteLength;
  for (const column of readings.columns) {
    if (!column) continue;
    for (const lanes of [column.values, column.counts]) {
      bytes += (lanes?.low.byteLength ?? 0) + (lanes?.high?.byteLength ?? 0);
    }
  }
  return bytes;
}
