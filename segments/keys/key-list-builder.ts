import type { KeyList } from './key-list.ts';

/** Allocates memory for this many bytes: shared memory for a list that other threads are to see. */
export type Allocate = (sizeBytes: number) => ArrayBufferLike;

export const ownMemory: Allocate = (sizeBytes) => new ArrayBuffer(sizeBytes);

export const allocateWords = (allocate: Allocate, count: number): Uint32Array =>
  new Uint32Array(allocate(count * Uint32Array.BYTES_PER_ELEMENT));

/*
 * Where keys of one length end is the same in every list of such keys, and most lists have keys of
 * one length. So these lists share one array per length. Otherwise writing and keeping it with each
 * list would take as much time and memory as IPv4 addresses themselves.
 */

/** Arrays are a multiple of this long, so that lists of similar sizes share one. */
const CHUNK = 65_536;

/** By length of the keys: the longest array so far. */
const longest = new Map<number, Uint32Array>();

/** Of each longer array, at least a quarter is new, so that lists which grow do not make many. */
const GROWTH = 1.25;

const buffers = new WeakSet<ArrayBufferLike>();

/**
 * Returns the ends of `count` keys of `length` bytes each, as in a KeyList, in memory that threads
 * share. Must not be written to.
 */
export function evenEnds(length: number, count: number): Uint32Array {
  const known = longest.get(length);
  if (known && known.length >= count) return known.subarray(0, count);
  const room = Math.max(count, known ? known.length * GROWTH : 0);
  const made = makeEnds(length, Math.ceil(room / CHUNK) * CHUNK);
  longest.set(length, made);
  buffers.add(made.buffer);
  return made.subarray(0, count);
}

/** Whether an array is part of one that lists share. */
export const isShared = ({ buffer }: ArrayBufferView): boolean => buffers.has(buffer);

function makeEnds(length: number, count: number): Uint32Array {
  const ends = new Uint32Array(new SharedArrayBuffer(count * Uint32Array.BYTES_PER_ELEMENT));
  let end = 0;
  for (let i = 0; i < count; i += 1) {
    end += length;
    ends[i] = end;
  }
  return ends;
}

type KeyListSize = { readonly keys: number; readonly bytes: number };

/**
 * A list that grows. Its keys must be added in ascending order, each once. Code that reads keys
 * from storage checks this (key-section.ts).
 */
export class KeyListBuilder implements KeyList {
  readonly #allocate: Allocate;
  readonly #expectedKeys: number;
  /** The length of all keys so far, if `ends` are those of evenEnds. */
  #evenLength: number | null = null;
  bytes: Uint8Array;
  ends: Uint32Array = new Uint32Array(0);
  count = 0;
  /** Total bytes of all keys. */
  length = 0;

  /** With room for everything expected, adding never copies. */
  constructor(expected: KeyListSize, allocate = ownMemory) {
    this.#allocate = allocate;
    this.#expectedKeys = expected.keys;
    this.bytes = new Uint8Array(allocate(expected.bytes));
  }

  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.reserve({ keys: 1, bytes: to - from });
    const { bytes: own, length } = this;
    for (let i = 0; i < to - from; i += 1) own[length + i] = bytes[from + i] as number;
    this.length = length + to - from;
    this.ends[this.count] = this.length;
    this.count += 1;
  }

  /** Makes room for this many more keys and bytes. */
  reserve({ keys, bytes }: KeyListSize): void {
    this.#reserveBytes(bytes);
    const isEven = this.#evenLength !== null;
    if (!isEven && this.count + keys <= this.ends.length) return;
    const room = Math.max(this.#expectedKeys, isEven ? 0 : 2 * this.ends.length, this.count + keys);
    const grown = allocateWords(this.#allocate, room);
    grown.set(this.ends.subarray(0, this.count));
    this.ends = grown;
    this.#evenLength = null;
  }

  /**
   * Makes room for keys of the same length, and writes where they end. Returns where the last one
   * does.
   */
  reserveEven(keys: number, length: number): number {
    if (this.count === 0) this.#evenLength = length;
    if (this.#evenLength === length) {
      this.#reserveBytes(keys * length);
      this.ends = evenEnds(length, Math.max(this.#expectedKeys, this.count + keys));
      return this.length + keys * length;
    }
    this.reserve({ keys, bytes: keys * length });
    let end = this.length;
    for (let i = this.count; i < this.count + keys; i += 1) {
      end += length;
      this.ends[i] = end;
    }
    return end;
  }

  #reserveBytes(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const grown = new Uint8Array(this.#allocate(2 * (this.length + bytes)));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Returns the list without unused room. The builder must not be used afterwards. */
  finish(): KeyList {
    const { count, length } = this;
    if (this.bytes.length > length) {
      const fitting = new Uint8Array(this.#allocate(length));
      fitting.set(this.bytes.subarray(0, length));
      this.bytes = fitting;
    }
    if (this.#evenLength !== null) this.ends = this.ends.subarray(0, count);
    else if (this.ends.length > count) {
      const fitting = allocateWords(this.#allocate, count);
      fitting.set(this.ends.subarray(0, count));
      this.ends = fitting;
    }
    return { bytes: this.bytes, ends: this.ends, count };
  }
}
