import type { KeyTable } from '../../segments/gather/key-table.ts';

/** Slots are a power of two, of which at most half are taken. */
const FIRST_SLOTS = 1024;

/** 32 MB: two million keys are counted exactly. */
const MOST_SLOTS = 2 ** 22;

const WORD_BITS = 32;

export type KeyCount = { readonly count: number; readonly isExact: boolean };

/**
 * Counts distinct keys in bounded memory, by hashes of 64 bits: of two million keys, some two have
 * the same with a probability of one in ten million. When there are too many to remember, only
 * those are whose hash begins with one more zero, each standing for twice as many keys (Flajolet,
 * On adaptive sampling, 1990): the count is then off by a tenth of a percent or so.
 */
export class DistinctCount {
  readonly #mostSlots: number;
  #highs = new Uint32Array(FIRST_SLOTS);
  #lows = new Uint32Array(FIRST_SLOTS);
  #kept = 0;
  /** With how many zeros the hashes begin that are kept. */
  #zeros = 0;

  constructor(mostSlots = MOST_SLOTS) {
    this.#mostSlots = mostSlots;
  }

  result(): KeyCount {
    return { count: this.#kept * 2 ** this.#zeros, isExact: this.#zeros === 0 };
  }

  /** Adds all keys of a table, which are of one group. */
  add(groupId: number, { bytes, ends, count }: KeyTable): void {
    for (let index = 0; index < count; index += 1) {
      this.#addKey(groupId, bytes, ends[index] as number, ends[index + 1] as number);
    }
  }

  /** Two multiplicative hashes, mixed with each other at the end (cyrb53). */
  #addKey(groupId: number, bytes: Uint8Array, from: number, to: number): void {
    let high = Math.imul(0xdeadbeef ^ groupId, 0x9e3779b1);
    let low = Math.imul(0x41c6ce57 ^ groupId, 0x5f356495);
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      high = Math.imul(high ^ byte, 0x9e3779b1);
      low = Math.imul(low ^ byte, 0x5f356495);
    }
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    // Nothing but zeros is a free slot.
    this.#addHash(high >>> 0, low >>> 0 || 1);
  }

  #addHash(high: number, low: number): void {
    if (!this.#isKept(high)) return;
    const mask = this.#lows.length - 1;
    let slot = low & mask;
    while (this.#lows[slot] !== 0) {
      if (this.#lows[slot] === low && this.#highs[slot] === high) return;
      slot = (slot + 1) & mask;
    }
    this.#highs[slot] = high;
    this.#lows[slot] = low;
    this.#kept += 1;
    if (2 * this.#kept > this.#lows.length) this.#makeRoom();
  }

  #isKept = (high: number): boolean => high < 2 ** (WORD_BITS - this.#zeros);

  #makeRoom(): void {
    const highs = this.#highs;
    const lows = this.#lows;
    const isFull = lows.length >= this.#mostSlots;
    if (isFull) this.#zeros += 1;
    const slots = isFull ? lows.length : 2 * lows.length;
    this.#highs = new Uint32Array(slots);
    this.#lows = new Uint32Array(slots);
    this.#kept = 0;
    for (let slot = 0; slot < lows.length; slot += 1) {
      if (lows[slot] !== 0) this.#addHash(highs[slot] as number, lows[slot] as number);
    }
  }
}
