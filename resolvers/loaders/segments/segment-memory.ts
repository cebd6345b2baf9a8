import { LRUCache } from 'lru-cache';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import type { UnitedKeys } from '../../../segments/keys/unite-keys.ts';
import type { UnitColumn } from '../../../topk/block-page.ts';
import type { KeyBits } from '../../../topk/key-bits.ts';
import type { SegmentSeries } from '../../../topk/segment-series.ts';
import { Tally } from '../tally.ts';

/** A block's keys, and one meter's readings of it; null: no reading. */
export type KnownBlock = { readonly ids: Uint32Array; readonly column: UnitColumn | null };

/** What is kept, by kind. */
type Kept = {
  readonly keys: KeyList;
  readonly union: UnitedKeys;
  readonly block: KnownBlock;
  readonly series: SegmentSeries;
  readonly passing: KeyBits;
};

export type KeptKind = keyof Kept;

type Entry = { readonly value: Kept[KeptKind]; readonly bytes: number };

/** About what an entry takes besides its arrays. */
const ENTRY_BYTES = 300;

/**
 * What was decoded of segments, or derived from them, in one bounded number of bytes: what was not
 * used for longest goes first, whatever it is. Segments never change, so an entry is never old.
 */
export class SegmentMemory {
  readonly tally: Readonly<Record<KeptKind, Tally>> = {
    keys: new Tally(),
    union: new Tally(),
    block: new Tally(),
    series: new Tally(),
    passing: new Tally(),
  };
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  find<Kind extends KeptKind>(kind: Kind, name: string): Kept[Kind] | undefined {
    const found = this.#entries.get(`${kind} ${name}`);
    this.tally[kind].count(found ? 1 : 0, found ? 0 : 1);
    // The name begins with the kind, so this is of that kind.
    return found?.value as Kept[Kind] | undefined;
  }

  keep<Kind extends KeptKind>(kind: Kind, name: string, value: Kept[Kind]): void {
    this.#entries.set(`${kind} ${name}`, { value, bytes: ENTRY_BYTES + bytesOf(value) });
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** The bytes of all arrays in a value, however deep. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + bytesOf(part), 0);
}
