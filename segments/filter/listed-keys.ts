import { canonicalKey } from '../../domain/filters/key-filter.ts';
import { KeyTable } from '../gather/key-table.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { findKey, keyStart } from '../keys/key-list.ts';
import { firstPartRanges } from '../keys/key-ranges.ts';
import type { FindAmong } from './find-among.ts';
import { addKey, addWithin, emptyKeySet, hasKey, nextKey, partsOfKeys } from './key-set.ts';

/** Finds the keys that have one of these texts, in raw or readable form. */
export function listedFinder(codec: KeyCodec, texts: readonly string[]): FindAmong {
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    for (const text of texts) {
      const key = codec.encodeIfKey(canonicalKey(text, codec.kinds));
      if (key === null) continue;
      const { ordinal, isThere } = findKey(keys, key);
      if (isThere && hasKey(among, ordinal)) addKey(found, ordinal);
      yield;
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
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    for (const text of wanted) {
      yield;
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
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    if (wanted.count === 0) return found;
    for (const { from, to } of partsOfKeys(keys.count)) {
      for (let i = nextKey(among, from); i < to; i = nextKey(among, i + 1)) {
        codec.partEnds(keys.bytes, keyStart(keys, i), keys.ends[i] as number, ends);
        if (wanted.has(keys.bytes, ends[part - 1], ends[part])) addKey(found, i);
      }
      yield;
    }
    return found;
  };
}
