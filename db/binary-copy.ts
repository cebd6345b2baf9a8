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
