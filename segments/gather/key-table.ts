/** Slots are a power of two, of which at most half are taken, so that searches end soon. */
const FIRST_SLOTS = 256;
const FIRST_BYTES = 4096;

/**
 * Distinct compact keys, numbered in the order in which they came. They lie one after the other in
 * one array, found by open addressing: a key takes its bytes and some twenty more, and no object.
 */
export class KeyTable {
  count = 0;
  /** Key i has the bytes from ends[i] to before ends[i + 1]. */
  bytes = new Uint8Array(FIRST_BYTES);
  ends = new Uint32Array(FIRST_SLOTS);
  /** Index + 1 of a key, or 0. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** By index; so that growing need not look at the bytes again. */
  #hashes = new Uint32Array(FIRST_SLOTS);

  get sizeBytes(): number {
    const words = this.ends.length + this.#slots.length + this.#hashes.length;
    return this.bytes.length + words * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** The index of a key, which is new where the table does not have it yet. */
  indexOf(key: Uint8Array, from = 0, to = key.length): number {
    const hash = hashOf(key, from, to);
    const slot = this.#slotOf(hash, key, from, to);
    const index = (this.#slots[slot] as number) - 1;
    if (index !== -1) return index;
    this.#slots[slot] = this.count + 1;
    return this.#add(key.subarray(from, to), hash);
  }

  /** Whether the table has a key. */
  has(key: Uint8Array, from = 0, to = key.length): boolean {
    return this.find(key, from, to) !== -1;
  }

  /** The index of a key; −1 where the table does not have it. */
  find(key: Uint8Array, from = 0, to = key.length): number {
    return (this.#slots[this.#slotOf(hashOf(key, from, to), key, from, to)] as number) - 1;
  }

  /** Where a key is, or the free slot where it would be. */
  #slotOf(hash: number, key: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) return slot;
      if (this.#hashes[index] === hash && this.#isKey(index, key, from, to)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isKey(index: number, key: Uint8Array, from: number, to: number): boolean {
    const start = this.ends[index] as number;
    const length = to - from;
    if ((this.ends[index + 1] as number) - start !== length) return false;
    for (let i = 0; i < length; i += 1) {
      if (this.bytes[start + i] !== key[from + i]) return false;
    }
    return true;
  }

  #add(key: Uint8Array, hash: number): number {
    const index = this.count;
    const start = this.ends[index] as number;
    if (start + key.length > this.bytes.length) {
      const grown = new Uint8Array(2 * (start + key.length));
      grown.set(this.bytes);
      this.bytes = grown;
    }
    this.bytes.set(key, start);
    this.#hashes[index] = hash;
    this.ends[index + 1] = start + key.length;
    this.count = index + 1;
    if (2 * this.count >= this.#slots.length) this.#grow();
    return index;
  }

  #grow(): void {
    const size = 2 * this.#slots.length;
    this.ends = grownWords(this.ends, size);
    this.#hashes = grownWords(this.#hashes, size);
    this.#slots = new Uint32Array(size);
    for (let index = 0; index < this.count; index += 1) {
      let slot = (this.#hashes[index] as number) & (size - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (size - 1);
      this.#slots[slot] = index + 1;
    }
  }
}

function grownWords(words: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(size);
  grown.set(words);
  return grown;
}

/** FNV-1a, and then what MurmurHash3 ends with: of keys that count up, all bits differ. */
function hashOf(key: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
