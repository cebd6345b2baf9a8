import type { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { readFieldKeys, writeFieldKeys } from './field-section.ts';
import { readFrontCoded, writeFrontCoded } from './front-coded-section.ts';
import type { KeyCodec } from './key-codec.ts';
import { compareKeys, type KeyList } from './key-list.ts';
import type { KeyListBuilder } from './key-list-builder.ts';

/** Maximum number of keys in a section, all of which are read to get any of them. */
export const SECTION_KEYS = 4096;

/**
 * Writes the keys with ordinals from `from` to before `to`, at most SECTION_KEYS, so that they can
 * be read without any other section. The caller stores the number of keys. Errors: RangeError.
 */
export function writeKeySection(
  out: ByteWriter,
  keys: KeyList,
  from: number,
  to: number,
  codec: KeyCodec,
): void {
  if (from < 0 || from > to || to > keys.count || to - from > SECTION_KEYS) {
    throw new RangeError(
      `a section holds up to ${SECTION_KEYS} of ${keys.count} keys, not those from ${from} to ${to}`,
    );
  }
  if (codec.shapes === null) writeFrontCoded(out, keys, from, to);
  else writeFieldKeys(out, keys, { from, to }, codec.shapes);
}

/**
 * Appends the `count` keys of a section to `into`. Checks that they are keys of the codec, ascend,
 * and come after the keys in `into`. Errors: DamagedSegment; `into` is then unusable.
 */
export function readKeySection(
  reader: ByteReader,
  codec: KeyCodec,
  count: number,
  into: KeyListBuilder,
): void {
  if (!(count >= 0 && count <= SECTION_KEYS)) {
    throw new DamagedSegment(`a section of ${count} keys, where ${SECTION_KEYS} are the most`);
  }
  const first = into.count;
  const { shapes, kinds, check } = codec;
  if (shapes === null) readFrontCoded(reader, count, into, codec);
  else readFieldKeys(reader, count, into, { shapes, kinds, check });
  if (first > 0 && count > 0 && compareKeys(into, first - 1, into, first) >= 0) {
    throw new DamagedSegment('a section of keys begins before the one that it follows has ended');
  }
}
