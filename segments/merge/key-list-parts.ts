import { type KeyList, keyStart } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';

/** Copies the keys with ordinals from `from` to before `to` into a list of their own. */
export function keyListPart(keys: KeyList, from: number, to: number): KeyList {
  const first = keyStart(keys, from);
  const last = keyStart(keys, to);
  const ends = keys.ends.slice(from, to);
  for (let i = 0; i < ends.length; i += 1) ends[i] = (ends[i] as number) - first;
  return { bytes: keys.bytes.slice(first, last), ends, count: to - from };
}

/** Joins lists into one. Each list begins after the end of the one before it. */
export function joinKeyLists(lists: readonly KeyList[]): KeyList {
  const joined = new KeyListBuilder({
    keys: lists.reduce((sum, { count }) => sum + count, 0),
    bytes: lists.reduce((sum, list) => sum + keyStart(list, list.count), 0),
  });
  for (const list of lists) appendKeys(joined, list);
  return joined.finish();
}

function appendKeys(into: KeyListBuilder, keys: KeyList): void {
  const length = keyStart(keys, keys.count);
  into.reserve({ keys: keys.count, bytes: length });
  into.bytes.set(keys.bytes.subarray(0, length), into.length);
  for (let i = 0; i < keys.count; i += 1) {
    into.ends[into.count + i] = into.length + (keys.ends[i] as number);
  }
  into.length += length;
  into.count += keys.count;
}
