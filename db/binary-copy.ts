import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Connection } from './connection/connection.ts';

/**
 * COPY's binary format (PostgreSQL manual, COPY, "Binary Format"): numbers need not be written as
 * text and parsed again. Each field is preceded by its size in bytes.
 */

/** The signature, no flags, no header extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);

export const INT4 = 4;
export const INT8 = 8;

/**
 * Appends rows to a table. `rows` are blocks of whole rows, each row beginning with its field
 * count.
 */
export const copyRows = (
  connection: Connection,
  columns: string,
  rows: Iterable<Buffer>,
): Promise<void> =>
  pipeline(
    Readable.from(framed(rows)),
    connection.query(copyFrom(`copy ${columns} from stdin (format binary)`)),
  );

function* framed(rows: Iterable<Buffer>): Generator<Buffer> {
  yield HEADER;
  yield* rows;
  yield TRAILER;
}

// Each function writes a field at an offset, and returns the offset after it.

export function writeInt4(view: DataView, at: number, value: number): number {
  view.setInt32(at, INT4);
  view.setInt32(at + 4, value);
  return at + 4 + INT4;
}

const TWO_32 = 2 ** 32;

/** value: a safe integer. */
export function writeInt8(view: DataView, at: number, value: number): number {
  const high = Math.floor(value / TWO_32);
  view.setInt32(at, INT8);
  view.setInt32(at + 4, high);
  view.setUint32(at + 8, value - high * TWO_32);
  return at + 4 + INT8;
}

/** The start of every binary COPY: a signature of 11 bytes, flags and an empty extension. */
const HEADER_BYTES = 19;

/**
 * Reads the output of `COPY … TO STDOUT (FORMAT binary)`, tuple by tuple and field by field
 * (PostgreSQL manual, COPY, "Binary Format"): numbers in network byte order, −1 as the length of
 * null.
 */
export class CopyReader {
  readonly #buffer: Buffer;
  #at = HEADER_BYTES;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** Moves to the next tuple. Returns false if there is none. */
  next(): boolean {
    const fields = this.#buffer.readInt16BE(this.#at);
    this.#at += 2;
    return fields >= 0;
  }

  /** Reads a smallint, an integer, or a bigint that a double holds exactly. */
  integer(): number {
    const bytes = this.bytes();
    if (bytes.length === 8) return Number(bytes.readBigInt64BE());
    return bytes.readIntBE(0, bytes.length);
  }

  /**
   * Reads an integer[] without nulls: a header of five words, then each number after its length.
   */
  integers(): number[] {
    const bytes = this.bytes();
    const numbers: number[] = [];
    for (let at = 24; at < bytes.length; at += 8) numbers.push(bytes.readInt32BE(at));
    return numbers;
  }

  /** Reads a bytea as a view of the buffer; null becomes empty. */
  bytes(): Buffer {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4;
    const from = this.#at;
    this.#at += Math.max(0, length);
    return this.#buffer.subarray(from, this.#at);
  }
}

/**
 * Formats an integer for the text of a COPY, which takes no parameters. Throws for anything else.
 */
export function copyInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer`);
  return String(value);
}

/** Formats an integer[] for the text of a statement. */
export const copyArray = (values: readonly number[]): string => `${arrayText(values)}::int[]`;

/** Formats a bigint[] for the text of a statement. */
export const copyBigintArray = (values: readonly number[]): string =>
  `${arrayText(values)}::bigint[]`;

const arrayText = (values: readonly number[]): string => `'{${values.map(copyInteger).join(',')}}'`;
