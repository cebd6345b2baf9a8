import { ownCopy } from './bounded-cache.ts';
import type { ImportGroup } from './import-group.ts';
import type { ImportKey } from './import-key.ts';
import { TextNumbers } from './text-numbers.ts';

export type KeyId = { readonly shard: number; readonly keyId: number };

/** A key whose id is not known yet, and its index in the table. */
export type NewTableKey = { readonly index: number; readonly key: ImportKey };

/** About how many bytes of memory several tables take together. */
export type TablesSize = { bytes: number };

/** About what a key takes beside its text: slots, of which half are empty, its id, its header. */
const ENTRY_BYTES = 64;

const FIRST_CAPACITY = 64;

/**
 * The keys of a group that an import has met, numbered in the order in which it met them: readings
 * in memory name their key by that number, and its text is looked up once a reading.
 */
export class KeyTable {
  readonly group: ImportGroup;
  /** By index, once it was learned. */
  shards = new Uint8Array(FIRST_CAPACITY);
  keyIds = new Uint32Array(FIRST_CAPACITY);
  readonly #indexes = new TextNumbers();
  readonly #size: TablesSize;
  #newKeys: NewTableKey[] = [];

  /** `size`: what this one takes is added to it. */
  constructor(group: ImportGroup, size: TablesSize) {
    this.group = group;
    this.#size = size;
  }

  /** The index of a key that is in the table, by its canonical text; else −1. */
  find(text: string): number {
    return this.#indexes.find(text);
  }

  /** The index of a key, which is new where the table does not have it yet. */
  indexOf(key: ImportKey): number {
    const known = this.#indexes.find(key.text);
    return known === -1 ? this.#add(key) : known;
  }

  idOf(index: number): KeyId {
    return { shard: this.shards[index] ?? 0, keyId: this.keyIds[index] ?? 0 };
  }

  /** Gives the keys that have come since the last call; `setId` is to be called for each. */
  takeNewKeys(): NewTableKey[] {
    const taken = this.#newKeys;
    this.#newKeys = [];
    return taken;
  }

  setId(index: number, { shard, keyId }: KeyId): void {
    if (index >= this.keyIds.length) this.#grow(index + 1);
    this.shards[index] = shard;
    this.keyIds[index] = keyId;
  }

  #add({ text, parts }: ImportKey): number {
    const index = this.#indexes.add(text);
    // A copy: a piece of the line it was read from would keep the line in memory.
    const own = ownCopy(text);
    this.#newKeys.push({ index, key: { text: own, parts } });
    this.#size.bytes += ENTRY_BYTES + 2 * own.length;
    return index;
  }

  #grow(atLeast: number): void {
    const capacity = Math.max(atLeast, 2 * this.keyIds.length);
    const { shards, keyIds } = this;
    this.shards = new Uint8Array(capacity);
    this.keyIds = new Uint32Array(capacity);
    this.shards.set(shards);
    this.keyIds.set(keyIds);
  }
}
