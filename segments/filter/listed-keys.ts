import { canonicalKey } from '../../domain/filters/key-filter.ts';
import { KeyTable } from '../gather/key-table.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { findKey, keyStart } from '../keys/key-list.ts';
import { firstPartRanges } from '../keys/key-ranges.ts';
import type { FindAmong } from './find-among.ts';
import { addKey, addWithin, emptyKeySet, hasKey, nextKey } from './key-set.ts';

/** Finds the keys that have one of these texts, in raw or readable form. */
export function listedFinder(codec: KeyCodec, texts: readonly string[]): FindAmong {
  const wanted = texts.flatMap((text) => codec.encodeIfKey(canonicalKey(text, codec.kinds)) ?? []);
  return (keys, among) => {
    const found = emptyKeySet(keys.count);
    for (const key of wanted) {
      const { ordinal, isThere } = findKey(keys, key);
      if (isThere && hasKey(among, ordinal)) addKey(found, ordinal);
    }
    return found;
  };
}

/** Finds the keys whose part `part` has one of these raw texts. */
export function keysWithParts(codec: KeyCodec, part: number, texts: Iterable<string>): FindAmong {
  return part === 0 ? keysWithFirst(codec, texts) : keysWithLater(codec, part, texts);
}

function keysWithFirst(codec: KeyCodec, texts: Iterable<string>): FindAmong {
  const wanted = [...texts];
  return (keys, among) => {
    const found = emptyKeySet(keys.count);
    for (const text of wanted) {
      for (const range of firstPartRanges(keys, codec, text)) addWithin(found, among, range);
    }
    return found;
  };
}

/** Keys are not ordered by their later parts, so every key is read. */
function keysWithLater(codec: KeyCodec, part: number, texts: Iterable<string>): FindAmong {
  const wanted = new KeyTable();
  for (const text of texts) {
    const bytes = codec.encodePart(part, text);
    if (bytes !== null) wanted.indexOf(bytes);
  }
  const ends = new Uint32Array(codec.kinds.length);
  return (keys, among) => {
    const found = emptyKeySet(keys.count);
    if (wanted.count === 0) return found;
    for (let i = nextKey(among, 0); i < keys.count; i = nextKey(among, i + 1)) {
      codec.partEnds(keys.bytes, keyStart(keys, i), keys.ends[i] as number, ends);
      if (wanted.has(keys.bytes, ends[part - 1], ends[part])) addKey(found, i);
    }
    return found;
  };
}
