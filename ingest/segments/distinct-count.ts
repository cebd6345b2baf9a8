import type { KeyTable } from '../../segments/gather/key-table.ts';

/**
 * Initial number of slots. It is always a power of two, and at most half of the slots are taken.
 */
const FIRST_SLOTS = 1024;

/** Maximum number of slots. 32 MB: two million keys are counted exactly. */
const MAX_SLOTS = 2 ** 22;

const WORD_BITS = 32;

type KeyCount = { readonly count: number; readonly isExact: boolean };

/**
 * Counts distinct keys in bounded memory, by 64-bit hashes: the probability that two of two million
 * keys have the same hash is one in ten million. If there are too many to remember, it keeps only
 * those whose hash begins with one more zero, and each stands for twice as many keys (Flajolet, On
 * adaptive sampling, 1990). The count is then off by a tenth of a percent or so.
 */
export class DistinctCount {
  readonly #maxSlots: number;
  readonly #seed: number;
  /** Two words per slot, the lower half of a hash and the upper one; both are 0 in a free slot. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #kept = 0;
  /** Number of zeros with which the hashes that are kept begin. */
  #zeros = 0;
  /** The upper halves of these hashes are below this. */
  #limit = 2 ** WORD_BITS;

  /** seed: unknown to anybody who forges addresses, who could otherwise make all hashes collide. */
  constructor(maxSlots = MAX_SLOTS, seed = Math.floor(Math.random() * 2 ** WORD_BITS)) {
    this.#maxSlots = maxSlots;
    this.#seed = seed;
  }

  result(): KeyCount {
    return { count: this.#kept * 2 ** this.#zeros, isExact: this.#zeros === 0 };
  }

  /** Adds all keys of a table, which belong to one group. */
  add(groupId: number, { bytes, ends, count }: KeyTable): void {
    for (let index = 0; index < count; index += 1) {
      this.#addKey(groupId, bytes, ends[index] as number, ends[index + 1] as number);
    }
  }

  /** Adds a key by two multiplicative hashes, mixed with each other at the end (cyrb53). */
  #addKey(groupId: number, bytes: Uint8Array, from: number, to: number): void {
    let high = Math.imul(0xdeadbeef ^ groupId ^ this.#seed, 0x9e3779b1);
    let low = Math.imul(0x41c6ce57 ^ groupId ^ this.#seed, 0x5f356495);
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      high = Math.imul(high ^ byte, 0x9e3779b1);
      low = Math.imul(low ^ byte, 0x5f356495);
    }
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    // All zeros means a free slot.
    this.#addHash(high >>> 0, low >>> 0 || 1);
  }

  #addHash(high: number, low: number): void {
    if (high >= this.#limit) return;
    const slots = this.#slots;
    const mask = slots.length - 2;
    let slot = (low << 1) & mask;
    while (slots[slot] !== 0) {
      if (slots[slot] === low && slots[slot + 1] === high) return;
      slot = (slot + 2) & mask;
    }
    slots[slot] = low;
    slots[slot + 1] = high;
    this.#kept += 1;
    if (4 * this.#kept > slots.length) this.#makeRoom();
  }

  #makeRoom(): void {
    const old = this.#slots;
    const isFull = old.length >= 2 * this.#maxSlots;
    if (isFull) {
      this.#zeros += 1;
      this.#limit = 2 ** (WORD_BITS - this.#zeros);
    }
    this.#slots = new Uint32Array(isFull ? old.length : 2 * old.length);
    this.#kept = 0;
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot] !== 0) this.#addHash(old[slot + 1] as number, old[slot] as number);
    }
  }
}
