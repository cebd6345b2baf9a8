import type { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { readFrames, writeFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { readColumn, writeColumn } from './field-column.ts';
import type { KeyCodec } from './key-codec.ts';
import { compareKeys, type KeyList, keyStart, type OrdinalRange } from './key-list.ts';
import type { KeyListBuilder } from './key-list-builder.ts';
import { type KeyShape, type KeyTag, maxFields, putTags } from './key-shape.ts';
import { fieldTooLarge, notAscending, readUniformKeys } from './uniform-keys.ts';

/*
 * Keys made of bytes, stored by columns: neighbouring keys are close to each other in their first
 * fields, and in the others the same numbers recur.
 *
 *     section   frames of the keys' shapes, if the codec has more than one
 *               for each field a column, of the keys whose shape has that field
 *
 * A column stores the step from the previous key if all earlier fields are the same in both keys.
 * As keys ascend, this step is never negative. The first field is always a step, because it is the
 * same bytes in all shapes of a codec.
 */

/** The shape of each key of a section, and what is known about each key and the previous one. */
type Neighbours = {
  readonly shapes: readonly KeyShape[];
  readonly shapeOf: Uint8Array;
  /** 1 while the shape and all fields processed so far are the same as in the previous key. */
  readonly isSame: Uint8Array;
};

function neighboursOf(shapes: readonly KeyShape[], shapeOf: Uint8Array): Neighbours {
  const isSame = new Uint8Array(shapeOf.length).fill(1, 1);
  if (shapes.length > 1) {
    for (let i = 1; i < shapeOf.length; i += 1) if (shapeOf[i] !== shapeOf[i - 1]) isSame[i] = 0;
  }
  return { shapes, shapeOf, isSame };
}

/** The keys that have a field, and for each whether its column stores a step or a number. */
type FieldKeys = { readonly keys: Uint32Array; readonly isStep: Uint8Array };

function keysWith({ shapes, shapeOf, isSame }: Neighbours, field: number): FieldKeys {
  const keys = new Uint32Array(shapeOf.length);
  const isStep = new Uint8Array(shapeOf.length);
  const has = Uint8Array.from(shapes, ({ fields }) => (field < fields.length ? 1 : 0));
  let count = 0;
  for (let i = 0; i < shapeOf.length; i += 1) {
    if (has[shapeOf[i] as number] === 0) continue;
    keys[count] = i;
    isStep[count] = field === 0 ? 1 : (isSame[i] as number);
    count += 1;
  }
  return { keys: keys.subarray(0, count), isStep: isStep.subarray(0, count) };
}

/** Clears isSame where a field differs from that of the previous key. */
function noteDifferences(
  { isSame }: Neighbours,
  { keys }: FieldKeys,
  numbers: Uint32Array | Float64Array,
): void {
  for (let i = 1; i < keys.length; i += 1) {
    if (numbers[i] !== numbers[i - 1]) isSame[keys[i] as number] = 0;
  }
}

/**
 * By shape: the offset of a field in the key, and its width; zeros if the shape does not have it.
 */
type FieldOffsets = { readonly at: Uint8Array; readonly width: Uint8Array };

const offsetsOf = (shapes: readonly KeyShape[], field: number): FieldOffsets => ({
  at: Uint8Array.from(shapes, ({ fields }) => fields[field]?.at ?? 0),
  width: Uint8Array.from(shapes, ({ fields }) => fields[field]?.width ?? 0),
});

/** Writes the keys of a range of ordinals. Errors: RangeError if a key has none of the shapes. */
export function writeFieldKeys(
  out: ByteWriter,
  keys: KeyList,
  { from, to }: OrdinalRange,
  shapes: readonly KeyShape[],
): void {
  const shapeOf = new Uint8Array(to - from);
  for (let i = from; i < to; i += 1) shapeOf[i - from] = findShape(keys, i, shapes);
  if (shapes.length > 1) writeFrames(out, shapeOf);
  const neighbours = neighboursOf(shapes, shapeOf);
  for (let field = 0; field < maxFields(shapes); field += 1) {
    const having = keysWith(neighbours, field);
    const { at, width } = offsetsOf(shapes, field);
    const numbers = new Uint32Array(having.keys.length);
    for (let i = 0; i < numbers.length; i += 1) {
      const key = having.keys[i] as number;
      const shape = shapeOf[key] as number;
      const start = keyStart(keys, from + key) + (at[shape] as number);
      numbers[i] = numberAt(keys.bytes, start, width[shape] as number);
    }
    writeColumn(out, numbers, having.isStep);
    noteDifferences(neighbours, having, numbers);
  }
}

function findShape(keys: KeyList, i: number, shapes: readonly KeyShape[]): number {
  const start = keyStart(keys, i);
  const length = (keys.ends[i] as number) - start;
  for (let s = 0; s < shapes.length; s += 1) {
    const shape = shapes[s] as KeyShape;
    if (shape.length === length && hasTags(keys.bytes, start, shape)) return s;
  }
  throw new RangeError(`key ${i}, of ${length} bytes, is not a compact key of this codec`);
}

function hasTags(bytes: Uint8Array, start: number, { tags }: KeyShape): boolean {
  for (let t = 0; t < tags.length; t += 1) {
    const { at, value } = tags[t] as KeyTag;
    if (bytes[start + at] !== value) return false;
  }
  return true;
}

function numberAt(bytes: Uint8Array, at: number, width: number): number {
  let number = 0;
  for (let i = 0; i < width; i += 1) number = number * 256 + (bytes[at + i] as number);
  return number;
}

/** The parts of a codec with shapes that reading needs. */
type FieldCodec = Pick<KeyCodec, 'kinds' | 'check'> & {
  readonly shapes: readonly KeyShape[];
};

/** Reads `count` keys. Errors: DamagedSegment. */
export function readFieldKeys(
  reader: ByteReader,
  count: number,
  into: KeyListBuilder,
  codec: FieldCodec,
): void {
  const { shapes } = codec;
  const length = readShapedKeys(reader, count, into, shapes);
  checkKinds(codec, into, count);
  into.length = length;
  into.count += count;
}

/** Returns where the last key ends. */
function readShapedKeys(
  reader: ByteReader,
  count: number,
  into: KeyListBuilder,
  shapes: readonly KeyShape[],
): number {
  const fields = maxFields(shapes);
  const [only, ...others] = shapes;
  if (only && others.length === 0)
    return readUniformKeys(reader, count, { shape: only, fields }, into);
  const shapeOf = readShapes(reader, count, shapes);
  const common = commonShape(shapeOf, shapes);
  if (common) return readUniformKeys(reader, count, { shape: common, fields }, into);
  return readMixedKeys(reader, shapeOf, shapes, into);
}

/** Returns the shape of all keys if they have the same one. */
function commonShape(shapeOf: Uint8Array, shapes: readonly KeyShape[]): KeyShape | undefined {
  for (let i = 1; i < shapeOf.length; i += 1) if (shapeOf[i] !== shapeOf[0]) return undefined;
  return shapes[shapeOf[0] ?? 0];
}

/** Reads keys of several shapes. Returns where the last key ends. */
function readMixedKeys(
  reader: ByteReader,
  shapeOf: Uint8Array,
  shapes: readonly KeyShape[],
  into: KeyListBuilder,
): number {
  const neighbours = neighboursOf(shapes, shapeOf);
  const length = reserveKeys(neighbours, into);
  for (let field = 0; field < maxFields(shapes); field += 1) {
    const having = keysWith(neighbours, field);
    const numbers = readColumn(reader, having.keys.length, having.isStep);
    putNumbers(neighbours, offsetsOf(shapes, field), { having, numbers, into });
    noteDifferences(neighbours, having, numbers);
  }
  checkOrder(neighbours, into);
  return length;
}

/** Buffer for the numbers of the shapes of a section. */
let shapeRoom: Float64Array = new Float64Array(0);

function readShapes(reader: ByteReader, count: number, shapes: readonly KeyShape[]): Uint8Array {
  if (shapeRoom.length < count) shapeRoom = new Float64Array(count);
  readFrames(reader, count, shapeRoom);
  const shapeOf = new Uint8Array(count);
  for (let i = 0; i < count; i += 1) {
    const shape = shapeRoom[i] as number;
    if (shape >= shapes.length) throw new DamagedSegment('a key has no such shape');
    shapeOf[i] = shape;
  }
  return shapeOf;
}

/** Makes room for the keys and writes their ends and tags. Returns where the last key ends. */
function reserveKeys({ shapes, shapeOf }: Neighbours, into: KeyListBuilder): number {
  const lengths = Uint8Array.from(shapes, ({ length }) => length);
  let sum = 0;
  for (let i = 0; i < shapeOf.length; i += 1) sum += lengths[shapeOf[i] as number] as number;
  into.reserve({ keys: shapeOf.length, bytes: sum });
  const { bytes, ends } = into;
  const isTagged = shapes.some(({ tags }) => tags.length > 0);
  let end = into.length;
  for (let i = 0; i < shapeOf.length; i += 1) {
    const shape = shapeOf[i] as number;
    if (isTagged) putTags(bytes, end, shapes[shape] as KeyShape);
    end += lengths[shape] as number;
    ends[into.count + i] = end;
  }
  return end;
}

type FieldNumbers = {
  readonly having: FieldKeys;
  readonly numbers: Float64Array;
  readonly into: KeyListBuilder;
};

/** Writes a field into the keys that have it. */
function putNumbers(
  { shapeOf }: Neighbours,
  { at, width }: FieldOffsets,
  { having, numbers, into }: FieldNumbers,
): void {
  const { bytes } = into;
  const limits = Float64Array.from(width, (count) => 256 ** count);
  for (let i = 0; i < numbers.length; i += 1) {
    const key = having.keys[i] as number;
    const shape = shapeOf[key] as number;
    const number = numbers[i] as number;
    if (number >= (limits[shape] as number)) throw fieldTooLarge();
    let start = keyStart(into, into.count + key) + (at[shape] as number);
    for (let bits = 8 * (width[shape] as number) - 8; bits >= 0; bits -= 8) {
      bytes[start] = (number >>> bits) & 255;
      start += 1;
    }
  }
}

/**
 * Checks that the keys ascend. If two neighbours have the same shape, the later one is never less,
 * because their first difference is a step.
 */
function checkOrder({ shapeOf, isSame }: Neighbours, into: KeyListBuilder): void {
  let isAscending = !isSame.includes(1);
  for (let i = 1; i < shapeOf.length; i += 1) {
    if (shapeOf[i] === shapeOf[i - 1]) continue;
    if (compareKeys(into, into.count + i - 1, into, into.count + i) >= 0) isAscending = false;
  }
  if (!isAscending) throw notAscending();
}

/**
 * Checks countries and subnets, for which not all bytes are valid; for the other kinds they are.
 */
function checkKinds({ kinds, check }: FieldCodec, into: KeyListBuilder, count: number): void {
  if (!kinds.includes('country') && !kinds.includes('subnet')) return;
  for (let i = into.count; i < into.count + count; i += 1) {
    check(into.bytes, keyStart(into, i), into.ends[i] as number);
  }
}
