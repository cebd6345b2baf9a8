import { LRUCache } from 'lru-cache';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { RankedHead } from '../../segments/heads/head.ts';
import type { FormedNetworks } from '../../segments/keys/form-networks.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { isShared } from '../../segments/keys/key-list-builder.ts';
import type { UnitedKeys } from '../../segments/keys/unite-keys.ts';
import type { SegmentBlock } from '../kernel/blocks/decode-blocks.ts';
import type { SegmentSeries } from '../kernel/blocks/segment-series.ts';
import type { TileRows } from '../kernel/blocks/tile-rows.ts';
import type { StepBounds } from '../kernel/select/step-bounds.ts';
import { CacheStats } from './cache-stats.ts';

/** A block's keys, and one meter's readings of it; null: no reading. */
export type KnownBlock = SegmentBlock;

/** Numbers, in any order until they are sorted in place. NaN is not among them. */
export type SealedValues = { readonly numbers: Float64Array; isSorted: boolean };

/** The cached values, by kind. */
type Kept = {
  readonly keys: KeyList;
  readonly unions: UnitedKeys;
  /** The networks of a segment's addresses. */
  readonly networks: FormedNetworks;
  /** The ordinals of a block's keys in a union. */
  readonly mapped: Uint32Array;
  readonly blocks: KnownBlock;
  /** What a range of keys has in a tile. */
  readonly tiles: TileRows;
  /** The largest keys of a segment or a tile. */
  readonly heads: RankedHead;
  readonly series: SegmentSeries;
  /** A key's values in sealed segments. */
  readonly sealed: SealedValues;
  /** What a whole segment has of each key in its steps. */
  readonly bounds: StepBounds;
  readonly filters: KeySet;
};

const KINDS = [
  'keys',
  'unions',
  'networks',
  'mapped',
  'blocks',
  'tiles',
  'heads',
  'series',
  'sealed',
  'bounds',
  'filters',
] as const;

export type KeptKind = keyof Kept;

type Entry = {
  readonly kind: KeptKind;
  readonly value: Kept[KeptKind];
  readonly bytes: number;
};

/** How much of the cache one kind uses. */
type KeptUse = {
  readonly kind: KeptKind;
  readonly bytes: number;
  readonly tally: CacheStats;
};

/** Approximate size of an entry besides its arrays. */
const ENTRY_BYTES = 300;

/**
 * A cache of data decoded or derived from segments. All kinds share one limit in bytes, and the
 * least recently used entry is evicted first. Segments never change, so no entry is ever outdated.
 */
export class SegmentCache {
  readonly #tallies: Readonly<Record<KeptKind, CacheStats>> = {
    keys: new CacheStats(),
    unions: new CacheStats(),
    networks: new CacheStats(),
    mapped: new CacheStats(),
    blocks: new CacheStats(),
    tiles: new CacheStats(),
    heads: new CacheStats(),
    series: new CacheStats(),
    sealed: new CacheStats(),
    bounds: new CacheStats(),
    filters: new CacheStats(),
  };
  readonly #bytes: Record<KeptKind, number> = {
    keys: 0,
    unions: 0,
    networks: 0,
    mapped: 0,
    blocks: 0,
    tiles: 0,
    heads: 0,
    series: 0,
    sealed: 0,
    bounds: 0,
    filters: 0,
  };
  /** How often a head and the edges of its segment were enough for an answer, and were not. */
  readonly certified = new CacheStats();
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }) => bytes,
      // Also called for an entry that is replaced.
      dispose: ({ kind, bytes }) => {
        this.#bytes[kind] -= bytes;
      },
      onInsert: ({ kind, bytes }) => {
        this.#bytes[kind] += bytes;
      },
    });
  }

  use(): readonly KeptUse[] {
    return KINDS.map((kind) => ({ kind, bytes: this.#bytes[kind], tally: this.#tallies[kind] }));
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  find<Kind extends KeptKind>(kind: Kind, name: string): Kept[Kind] | undefined {
    const found = this.#entries.get(`${kind} ${name}`);
    this.#tallies[kind].count(found ? 1 : 0, found ? 0 : 1);
    // The name begins with the kind, so this is of that kind.
    return found?.value as Kept[Kind] | undefined;
  }

  /** Whether a value is cached. Does not count as its use. */
  has(kind: KeptKind, name: string): boolean {
    return this.#entries.has(`${kind} ${name}`);
  }

  keep<Kind extends KeptKind>(kind: Kind, name: string, value: Kept[Kind]): void {
    this.#entries.set(`${kind} ${name}`, { kind, value, bytes: ENTRY_BYTES + bytesOf(value) });
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** The bytes of all arrays in a value, however deep, except those that lists of keys share. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return isShared(value) ? 0 : value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + bytesOf(part), 0);
}
