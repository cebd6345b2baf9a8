import { randomInt } from 'node:crypto';

const FIRST_SLOTS = 64;
const FIRST_UNITS = 512;

/** An entry in `units`: its number in two halves, its length, then its text. */
const HEADER_UNITS = 3;

/** A slot that holds nothing: no entry begins there. */
const EMPTY = 0;

/**
 * Numbers texts from 0 in the order in which they first came: a hash table with open addressing,
 * all in two arrays.
 *
 * An import looks up a key for every reading, mostly one that it has not seen for a while. A `Map`
 * of strings then waits for memory some four times, for bucket, entry and string; this one twice,
 * and takes half the time. And the garbage collector has two objects to look at, however many keys.
 */
export class TextNumbers {
  size = 0;
  /** By slot, two each: the text's hash, and where its entry begins in `units`. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #units = new Uint16Array(FIRST_UNITS);
  /** The first unit that is free; 0 is never the beginning of an entry. */
  #end = 1;

  /** The number of a text; −1 for one that has none. */
  find(text: string): number {
    const hash = hashOf(text);
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const entry = this.#slots[2 * slot + 1] ?? EMPTY;
      if (entry === EMPTY) return -1;
      if (this.#slots[2 * slot] === hash && this.#holds(entry, text)) return this.#numberAt(entry);
    }
  }

  /** Gives the next number to a text that has none. */
  add(text: string): number {
    if (2 * this.size >= this.#mask) this.#growSlots();
    const entry = this.#end;
    this.#end += HEADER_UNITS + text.length;
    if (this.#end > this.#units.length) this.#growUnits();
    const number = this.size;
    this.#units[entry] = number;
    this.#units[entry + 1] = number >>> 16;
    this.#units[entry + 2] = text.length;
    for (let i = 0; i < text.length; i += 1) {
      this.#units[entry + HEADER_UNITS + i] = text.charCodeAt(i);
    }
    this.#place(hashOf(text), entry);
    this.size += 1;
    return number;
  }

  #numberAt(entry: number): number {
    return (this.#units[entry] ?? 0) + (this.#units[entry + 1] ?? 0) * 2 ** 16;
  }

  #holds(entry: number, text: string): boolean {
    const units = this.#units;
    if (units[entry + 2] !== text.length) return false;
    const start = entry + HEADER_UNITS;
    for (let i = 0; i < text.length; i += 1) {
      if (units[start + i] !== text.charCodeAt(i)) return false;
    }
    return true;
  }

  #place(hash: number, entry: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[2 * slot + 1] !== EMPTY) slot = (slot + 1) & this.#mask;
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = entry;
  }

  #growSlots(): void {
    const before = this.#slots;
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      const entry = before[at + 1] ?? EMPTY;
      if (entry !== EMPTY) this.#place(before[at] ?? 0, entry);
    }
  }

  #growUnits(): void {
    const before = this.#units;
    this.#units = new Uint16Array(2 * Math.max(before.length, this.#end));
    this.#units.set(before);
  }
}

/**
 * Who sends packets chooses keys. As nobody knows the seed, nobody can choose such that all meet in
 * one place of the table. (FNV alone would carry a difference on in the same way from nearly any
 * seed; hence the shift in each step.)
 */
const SEED = randomInt(2 ** 32);

function hashOf(text: string): number {
  let hash = SEED;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
