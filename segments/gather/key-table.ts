/**
 * The number of slots is a power of two. At most half of them are taken, so that searches end soon.
 */
const FIRST_SLOTS = 256;
const FIRST_BYTES = 4096;

/**
 * Bytes that fit into a hash. The hash of a key of at most this length identifies it completely.
 */
const HASH_BYTES = 4;
const VARIOUS = -1;

/**
 * Distinct compact keys, numbered in order of insertion. They lie one after the other in one array
 * and are found by open addressing: a key takes its own bytes and some twenty more, and no object.
 */
export class KeyTable {
  count = 0;
  /** Key i has the bytes from ends[i] to before ends[i + 1]. */
  bytes = new Uint8Array(FIRST_BYTES);
  ends = new Uint32Array(FIRST_SLOTS);
  /**
   * Two words per slot: the hash of a key, and its index + 1 (0 if the slot is free). They are
   * adjacent, so one memory access reads both.
   */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  /**
   * The common length of all keys, if it is at most that of a hash: then equal hashes mean equal
   * keys.
   */
  #hashedLength = VARIOUS;

  get sizeBytes(): number {
    const words = this.ends.length + this.#slots.length;
    return this.bytes.length + words * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Returns the index of a key. Adds the key if the table does not have it yet. */
  indexOf(key: Uint8Array, from = 0, to = key.length): number {
    const hash = hashOf(key, from, to);
    const slot = this.#slotOf(hash, key, from, to);
    const index = (this.#slots[slot + 1] as number) - 1;
    if (index !== -1) return index;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = this.count + 1;
    return this.#add(key, from, to);
  }

  /** Whether the table has a key. */
  has(key: Uint8Array, from = 0, to = key.length): boolean {
    return this.find(key, from, to) !== -1;
  }

  /** Returns the index of a key; −1 if the table does not have it. */
  find(key: Uint8Array, from = 0, to = key.length): number {
    return (this.#slots[this.#slotOf(hashOf(key, from, to), key, from, to) + 1] as number) - 1;
  }

  /** Returns the first word of the key's slot, or of the free slot where the key would be. */
  #slotOf(hash: number, key: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    // Comparing a key's bytes may take two more accesses to distant memory.
    const isHashEnough = to - from === this.#hashedLength;
    let slot = (hash << 1) & mask;
    for (;;) {
      const index = (slots[slot + 1] as number) - 1;
      if (index === -1) return slot;
      const isEqual = slots[slot] === hash;
      if (isEqual && (isHashEnough || this.#isKey(index, key, from, to))) return slot;
      slot = (slot + 2) & mask;
    }
  }

  #isKey(index: number, key: Uint8Array, from: number, to: number): boolean {
    const { bytes, ends } = this;
    const start = ends[index] as number;
    const length = to - from;
    if ((ends[index + 1] as number) - start !== length) return false;
    for (let i = 0; i < length; i += 1) {
      if (bytes[start + i] !== key[from + i]) return false;
    }
    return true;
  }

  #add(key: Uint8Array, from: number, to: number): number {
    const index = this.count;
    const start = this.ends[index] as number;
    const length = to - from;
    if (start + length > this.bytes.length) {
      const grown = new Uint8Array(2 * (start + length));
      grown.set(this.bytes);
      this.bytes = grown;
    }
    // Most keys have few bytes, so making a view of them would take longer than this loop.
    const { bytes } = this;
    for (let i = 0; i < length; i += 1) bytes[start + i] = key[from + i] as number;
    this.ends[index + 1] = start + length;
    if (index === 0 && length <= HASH_BYTES) this.#hashedLength = length;
    else if (length !== this.#hashedLength) this.#hashedLength = VARIOUS;
    this.count = index + 1;
    if (4 * this.count >= this.#slots.length) this.#grow();
    return index;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Uint32Array(2 * old.length);
    const mask = slots.length - 2;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let to = ((old[from] as number) << 1) & mask;
      while (slots[to + 1] !== 0) to = (to + 2) & mask;
      slots[to] = old[from] as number;
      slots[to + 1] = old[from + 1] as number;
    }
    this.#slots = slots;
    this.ends = grownWords(this.ends, old.length);
  }
}

function grownWords(words: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(size);
  grown.set(words);
  return grown;
}

/**
 * Differs in each process. Otherwise an attacker who forges addresses could choose them so that all
 * of them lie side by side in the table, and each would be searched for among all others.
 */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

/**
 * Hashes a key: takes the bytes of a short key as a number, or FNV-1a of a longer one, and applies
 * the final steps of MurmurHash3. For keys that count up, all bits differ, and no two numbers have
 * the same hash.
 */
function hashOf(key: Uint8Array, from: number, to: number): number {
  let hash = SEED ^ (to - from <= HASH_BYTES ? numberOf(key, from, to) : fnv1a(key, from, to));
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function numberOf(key: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i += 1) number = (number << 8) | (key[i] as number);
  return number;
}

function fnv1a(key: Uint8Array, from: number, to: number): number {
  // The start value decides which longer keys collide.
  let hash = 0x811c9dc5 ^ SEED;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (key[i] as number), 0x01000193);
  return hash;
}
