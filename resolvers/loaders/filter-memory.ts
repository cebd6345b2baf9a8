import { addKey, emptyKeyBits, hasKey, type KeyBits } from '../../topk/key-bits.ts';
import { Tally } from './tally.ts';
import { pause } from './turns.ts';

/** The raw texts of a group's keys by shard and id; ids that are not given have none. */
export type KeyTexts = readonly (readonly (string | undefined)[])[];

/** A group's keys, as far as they are known. They are only ever added to. */
export type KnownKeys = { readonly texts: string[][]; version: number; bytes: number };

/** sizes: how many ids of each shard were looked at. version: of the context, which has no more. */
export type KnownFilter = {
  readonly bits: KeyBits;
  readonly sizes: readonly number[];
  readonly version: number;
};

/** Sets of this many keys in all are remembered: 16 MB. */
const MAX_BITS = 128 * 1024 * 1024;

/** Bytes of key texts that are remembered. */
const MAX_TEXT_BYTES = 128 * 1024 * 1024;

/**
 * Which keys pass a filter: a pattern is matched once for each key, and the result kept. Keys and
 * their raw texts never change and ids only go up, so what was matched stays true, and what is new
 * is matched when it is met.
 */
export class FilterMemory {
  readonly tally = new Tally();
  readonly #keys = new Map<string, KnownKeys>();
  readonly #filters = new Map<string, KnownFilter>();
  #bits = 0;

  /** Of the keys' texts, and of the sets of those that pass. */
  get bytes(): number {
    return this.#textBytes() + this.#bits / 8;
  }

  /** The keys of a group known so far; they become the most recently used. */
  keysOf(group: string): KnownKeys {
    const known = this.#keys.get(group) ?? { texts: [], version: -1, bytes: 0 };
    this.#keys.delete(group);
    this.#keys.set(group, known);
    return known;
  }

  /** Forgets groups that were not used for longest, never the last one. */
  shrinkKeys(): void {
    let bytes = this.#textBytes();
    for (const [group, known] of this.#keys) {
      if (bytes <= MAX_TEXT_BYTES || this.#keys.size === 1) return;
      this.#keys.delete(group);
      bytes -= known.bytes;
    }
  }

  /** The keys of `texts` that pass. `filter` names group and filter; `passes` is what it does. */
  async passing(
    filter: string,
    texts: KeyTexts,
    passes: (key: string, shard: number, keyId: number) => boolean,
  ): Promise<KeyBits> {
    const before = this.#filters.get(filter);
    const sizes = texts.map((ofShard) => ofShard.length);
    const isKnown =
      before?.sizes.length === sizes.length &&
      sizes.every((size, shard) => size === before.sizes[shard]);
    this.tally.count(isKnown ? 1 : 0, isKnown ? 0 : 1);
    const bits = before && isKnown ? before.bits : await matchKeys(texts, sizes, passes, before);
    this.#put(filter, { bits, sizes, version: 0 });
    return bits;
  }

  /** What is known of a filter whose keys are not all known here. It becomes the last used. */
  find(filter: string): KnownFilter | null {
    const known = this.#filters.get(filter);
    if (known) this.#put(filter, known);
    return known ?? null;
  }

  /** Remembers it, unless more is known. */
  keep(filter: string, known: KnownFilter): void {
    const before = this.#filters.get(filter);
    if (!before || before.version <= known.version) this.#put(filter, known);
  }

  clear(): void {
    this.#keys.clear();
    this.#filters.clear();
    this.#bits = 0;
  }

  /** Meanwhile somebody else may have asked the same, and put theirs there. */
  #put(filter: string, known: KnownFilter): void {
    const replaced = this.#filters.get(filter);
    this.#bits += sizeOf(known.bits) - (replaced ? sizeOf(replaced.bits) : 0);
    this.#filters.delete(filter);
    this.#filters.set(filter, known);
    this.#shrinkFilters();
  }

  #textBytes(): number {
    return [...this.#keys.values()].reduce((sum, known) => sum + known.bytes, 0);
  }

  #shrinkFilters(): void {
    for (const [filter, { bits }] of this.#filters) {
      if (this.#bits <= MAX_BITS || this.#filters.size === 1) return;
      this.#filters.delete(filter);
      this.#bits -= sizeOf(bits);
    }
  }
}

const sizeOf = ({ starts }: KeyBits): number => starts.at(-1) ?? 0;

/** sizes: how many keys of each shard are matched; more may become known meanwhile. */
async function matchKeys(
  texts: KeyTexts,
  sizes: readonly number[],
  passes: (key: string, shard: number, keyId: number) => boolean,
  before: KnownFilter | undefined,
): Promise<KeyBits> {
  const bits = emptyKeyBits(sizes);
  for (const [shard, size] of sizes.entries()) {
    const known = before?.sizes[shard] ?? 0;
    for (let keyId = 0; keyId < size; keyId += 1) {
      const text = texts[shard]?.[keyId];
      const isNew = keyId >= known;
      if (text === undefined) continue;
      if (isNew ? passes(text, shard, keyId) : before && hasKey(before.bits, shard, keyId)) {
        addKey(bits, shard, keyId);
      }
      if ((keyId & 255) === 0) await pause();
    }
  }
  return bits;
}
