import { copyInteger as integer } from '../../copy-text.ts';
import type { CopySource } from '../../session/copy-source.ts';

/** Blocks of a table, from `from` up to but not including `to`. */
export type BlockSpan = { readonly from: number; readonly to: number };

/**
 * Reads the samples in some blocks of a table, in their physical order. Nothing is sorted and no
 * index is used: all blocks together are one pass through the table, with only these in memory.
 */
export async function readOldSamples(
  source: CopySource,
  table: string,
  { from, to }: BlockSpan,
): Promise<OldSamples> {
  const text = `copy (
    select group_id, probe_id, shard, key_id, bucket, readings, counts from ${table}
    where ctid >= '(${integer(from)},0)'::tid and ctid < '(${integer(to)},0)'::tid
  ) to stdout (format binary)`;
  return new OldSamples(await source.copy({ query: 'read-old-samples', text }));
}

/** The signature of 11 bytes, flags and an empty extension. */
const HEADER_BYTES = 19;

// Offsets of fields from the start of a row: two bytes count the fields, and the four before each
// one are its length.
const GROUP = 6;
const PROBE = 14;
const SHARD = 22;
const KEY_ID = 28;
const BUCKET = 36;
const READINGS = 44;

/** Size of a key's id: shard and key id, with the length between them. */
export const KEY_ID_BYTES = KEY_ID + 4 - SHARD;

/**
 * Receives the number of a slot; place: slot − 1. A number that a double does not hold exactly
 * arrives as a bigint.
 */
export type TakeNumber = (place: number, value: number | bigint) => void;

/** Iterates over rows of samples. The first call of `next` moves to the first row. */
export class OldSamples {
  readonly bytes: Buffer;
  #next = HEADER_BYTES;
  #row = 0;
  #counts = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Moves to the next row. Returns false if there is none. */
  next(): boolean {
    const { bytes } = this;
    const row = this.#next;
    if (bytes.readInt16BE(row) < 0) return false;
    this.#row = row;
    this.#counts = row + READINGS + 4 + bytes.readInt32BE(row + READINGS);
    this.#next = this.#counts + 4 + Math.max(0, bytes.readInt32BE(this.#counts));
    return true;
  }

  get groupId(): number {
    return this.bytes.readInt32BE(this.#row + GROUP);
  }

  get probeId(): number {
    return this.bytes.readInt32BE(this.#row + PROBE);
  }

  get bucket(): number {
    const at = this.#row + BUCKET;
    return this.bytes.readInt32BE(at) * HIGH_UNIT + this.bytes.readUInt32BE(at + 4);
  }

  /** The offset in `bytes` of the id of the row's key, of KEY_ID_BYTES. */
  get keyIdAt(): number {
    return this.#row + SHARD;
  }

  /** Calls `take` with each reading that is not null. */
  eachReading(take: TakeNumber): void {
    eachNumber(this.bytes, this.#row + READINGS, take);
  }

  /**
   * Calls `take` with the number of readings that each reading is the sum of; not at all if each
   * stands for itself.
   */
  eachCount(take: TakeNumber): void {
    eachNumber(this.bytes, this.#counts, take);
  }
}

const ARRAY_HEADER_BYTES = 20;
const HIGH_UNIT = 2 ** 32;

/** Reads a bigint[] after its length: a header of five words, then each number after its length. */
function eachNumber(bytes: Buffer, field: number, take: TakeNumber): void {
  const end = field + 4 + bytes.readInt32BE(field);
  let at = field + 4 + ARRAY_HEADER_BYTES;
  for (let place = 0; at < end; place += 1) {
    const isNull = bytes.readInt32BE(at) < 0;
    at += 4;
    if (isNull) continue;
    const value = bytes.readInt32BE(at) * HIGH_UNIT + bytes.readUInt32BE(at + 4);
    take(place, Number.isSafeInteger(value) ? value : bytes.readBigInt64BE(at));
    at += 8;
  }
}
