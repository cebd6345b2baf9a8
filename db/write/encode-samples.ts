import {
  BLOCK_BYTES,
  INT2,
  INT4,
  INT8,
  writeInt2,
  writeInt4,
  writeInt8,
  writeNull,
} from './binary-copy.ts';

/** Values by row. numbers[row]: the value; NaN: null; ±Infinity: it is in `large`. */
export type SampleColumn = {
  readonly numbers: Float64Array;
  readonly large: ReadonlyMap<number, bigint>;
};

/** Rows of samples of one group and probe. The arrays may be longer than `rowCount`. */
export type SampleRows = {
  readonly group: { readonly groupId: number };
  readonly probeId: number;
  readonly rowCount: number;
  readonly buckets: Float64Array;
  readonly shards: Uint8Array;
  readonly keyIds: Uint32Array;
  /** By slot − 1. */
  readonly readings: readonly SampleColumn[];
  /** By slot − 1: how many readings a value stands for; null where each stands for itself. */
  readonly counts: readonly (SampleColumn | null)[];
};

/** The rows in COPY's binary format, field by field in the order of `copySamples`. */
export function* encodeSamples(sliceId: number, parts: readonly SampleRows[]): Generator<Buffer> {
  let view = newBlock(BLOCK_BYTES);
  let at = 0;
  for (const rows of parts) {
    const longest = FIXED_BYTES + 2 * (ARRAY_HEADER_BYTES + rows.readings.length * (4 + INT8));
    const hasCounts = rows.counts.some((column) => column !== null);
    for (let row = 0; row < rows.rowCount; row += 1) {
      if (at + longest > view.byteLength) {
        yield Buffer.from(view.buffer, 0, at);
        view = newBlock(Math.max(BLOCK_BYTES, longest));
        at = 0;
      }
      at = writeFixed(view, at, { rows, row, sliceId });
      at = writeArray(view, at, { columns: rows.readings, row, readings: rows.readings });
      at =
        hasCounts && saysSomething(rows.counts, row)
          ? writeArray(view, at, { columns: rows.counts, row, readings: rows.readings })
          : writeNull(view, at);
    }
  }
  yield Buffer.from(view.buffer, 0, at);
}

const newBlock = (bytes: number): DataView<ArrayBuffer> => new DataView(new ArrayBuffer(bytes));

const FIELDS = 8;
const FIXED_BYTES = 2 + FIELDS * 4 + 4 * INT4 + INT8 + INT2;

/** All fields but the arrays. Gives the place after them. */
function writeFixed(
  view: DataView,
  start: number,
  { rows, row, sliceId }: { rows: SampleRows; row: number; sliceId: number },
): number {
  view.setInt16(start, FIELDS);
  let at = writeInt4(view, start + 2, rows.group.groupId);
  at = writeInt8(view, at, rows.buckets[row] ?? 0);
  at = writeInt2(view, at, rows.shards[row] ?? 0);
  at = writeInt4(view, at, rows.keyIds[row] ?? 0);
  at = writeInt4(view, at, rows.probeId);
  return writeInt4(view, at, sliceId);
}

/** Whether some value does not just stand for itself. */
function saysSomething(counts: SampleRows['counts'], row: number): boolean {
  for (const column of counts) if (column !== null && column.numbers[row] !== 1) return true;
  return false;
}

/** pg_type.oid of bigint, the type of the arrays' elements. */
const BIGINT_OID = 20;
const ARRAY_HEADER_BYTES = 20;

/** An element is null where its column is, or has no reading in the row. */
type ArrayPlace = {
  readonly columns: SampleRows['counts'];
  readonly readings: SampleRows['readings'];
  readonly row: number;
};

/** As PostgreSQL's array_send does: dimensions, whether there are nulls, type, length, first index. */
function writeArray(view: DataView, start: number, { columns, readings, row }: ArrayPlace): number {
  let hasNulls = 0;
  let at = start + 4 + ARRAY_HEADER_BYTES;
  for (let i = 0; i < columns.length; i += 1) {
    const column = columns[i];
    if (!column || Number.isNaN(readings[i]?.numbers[row] ?? Number.NaN)) {
      hasNulls = 1;
      at = writeNull(view, at);
    } else {
      at = writeValue(view, at, column, row);
    }
  }
  view.setInt32(start, at - start - 4);
  view.setInt32(start + 4, 1);
  view.setInt32(start + 8, hasNulls);
  view.setInt32(start + 12, BIGINT_OID);
  view.setInt32(start + 16, columns.length);
  view.setInt32(start + 20, 1);
  return at;
}

function writeValue(
  view: DataView,
  at: number,
  { numbers, large }: SampleColumn,
  row: number,
): number {
  const number = numbers[row] ?? 0;
  if (Number.isFinite(number)) return writeInt8(view, at, number);
  view.setInt32(at, INT8);
  view.setBigInt64(at + 4, large.get(row) ?? 0n);
  return at + 4 + INT8;
}
