import type { ByteReader } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { readColumn } from './field-column.ts';
import type { KeyListBuilder } from './key-list-builder.ts';
import { type KeyField, type KeyShape, putTags } from './key-shape.ts';

/** The shape of all keys of a section, and the number of fields that have a column in it. */
type UniformSection = { readonly shape: KeyShape; readonly fields: number };

/**
 * Reads the columns of a section (field-section.ts) whose keys all have the same shape, as in most
 * sections: the start of each key is then known in advance. Returns where the last key ends.
 * Errors: DamagedSegment.
 */
export function readUniformKeys(
  reader: ByteReader,
  count: number,
  { shape, fields }: UniformSection,
  into: KeyListBuilder,
): number {
  const end = reserveKeys(shape, count, into);
  const { buffer, byteOffset, byteLength } = into.bytes;
  const view = new DataView(buffer, byteOffset, byteLength);
  const fieldsInList = shape.fields.map(({ at, width }) => ({ at: into.length + at, width }));
  const [only, ...others] = fieldsInList;
  if (only && others.length === 0) {
    putAscending({ view, numbers: readColumn(reader, count, null) }, only, shape.length);
  } else {
    const isSame = new Uint8Array(count).fill(1, 1);
    for (const [i, field] of fieldsInList.entries()) {
      const numbers = readColumn(reader, count, i === 0 ? null : isSame);
      const isLast = i === shape.fields.length - 1;
      putNumbers({ view, numbers, isSame, isLast }, field, shape.length);
    }
  }
  // The columns of fields that only other shapes have are empty here.
  for (let i = shape.fields.length; i < fields; i += 1) readColumn(reader, 0, null);
  return end;
}

/** Makes room for the keys and writes their ends and tags. Returns where the last key ends. */
function reserveKeys(shape: KeyShape, count: number, into: KeyListBuilder): number {
  const { length, tags } = shape;
  const end = into.reserveEven(count, length);
  if (tags.length > 0) {
    for (let start = into.length; start < end; start += length) putTags(into.bytes, start, shape);
  }
  return end;
}

type OnlyNumbers = { readonly view: DataView; readonly numbers: Float64Array };

/** Writes the only field of keys, which therefore ascends; see putNumbers. */
function putAscending(
  { view, numbers }: OnlyNumbers,
  { at, width }: KeyField,
  length: number,
): void {
  let start = at;
  let before = -1;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] as number;
    if (number <= before) throw notAscending();
    before = number;
    if (width === 4) view.setUint32(start, number);
    else putNumber(view, start, number, width);
    start += length;
  }
  if (before >= 256 ** width) throw fieldTooLarge();
}

function putNumber(view: DataView, at: number, number: number, width: number): void {
  for (let b = 0; b < width; b += 1) view.setUint8(at + b, number >>> (8 * (width - 1 - b)));
}

type FieldNumbers = OnlyNumbers & {
  /** 1 where all fields so far are those of the previous key; updated by putNumbers. */
  readonly isSame: Uint8Array;
  readonly isLast: boolean;
};

/** Writes a field of keys that are `length` bytes each. In the first key it begins at `at`. */
function putNumbers(
  { view, numbers, isSame, isLast }: FieldNumbers,
  { at, width }: KeyField,
  length: number,
): void {
  const limit = 256 ** width;
  let start = at;
  let before = -1;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] as number;
    if (number >= limit) throw fieldTooLarge();
    if (number !== before) isSame[i] = 0;
    else if (isLast && isSame[i] === 1) throw notAscending();
    before = number;
    if (width === 4) view.setUint32(start, number);
    else putNumber(view, start, number, width);
    start += length;
  }
}

export const fieldTooLarge = () => new DamagedSegment('a field is too large');
export const notAscending = () => new DamagedSegment('the keys of a section do not ascend');
