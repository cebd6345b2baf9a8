import type { KeyList } from './key-list.ts';

/** Allocates memory for this many bytes: shared memory for a list that other threads are to see. */
export type Allocate = (sizeBytes: number) => ArrayBufferLike;

export const ownMemory: Allocate = (sizeBytes) => new ArrayBuffer(sizeBytes);

export const allocateWords = (allocate: Allocate, count: number): Uint32Array =>
  new Uint32Array(allocate(count * Uint32Array.BYTES_PER_ELEMENT));

export type KeyListSize = { readonly keys: number; readonly bytes: number };

/**
 * A list that grows. Its keys must be added in ascending order, each once. Code that reads keys
 * from storage checks this (key-section.ts).
 */
export class KeyListBuilder implements KeyList {
  readonly #allocate: Allocate;
  bytes: Uint8Array;
  ends: Uint32Array;
  count = 0;
  /** Total bytes of all keys. */
  length = 0;

  /** With room for everything expected, adding never copies. */
  constructor(expected: KeyListSize, allocate = ownMemory) {
    this.#allocate = allocate;
    this.bytes = new Uint8Array(allocate(expected.bytes));
    this.ends = allocateWords(allocate, expected.keys);
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
    if (this.length + bytes > this.bytes.length) {
      const grown = new Uint8Array(this.#allocate(2 * (this.length + bytes)));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    if (this.count + keys > this.ends.length) {
      const grown = allocateWords(this.#allocate, 2 * (this.count + keys));
      grown.set(this.ends.subarray(0, this.count));
      this.ends = grown;
    }
  }

  /** Returns the list without unused room. The builder must not be used afterwards. */
  finish(): KeyList {
    const { count, length } = this;
    if (this.bytes.length > length) {
      const fitting = new Uint8Array(this.#allocate(length));
      fitting.set(this.bytes.subarray(0, length));
      this.bytes = fitting;
    }
    if (this.ends.length > count) {
      const fitting = allocateWords(this.#allocate, count);
      fitting.set(this.ends.subarray(0, count));
      this.ends = fitting;
    }
    return { bytes: this.bytes, ends: this.ends, count };
  }
}
