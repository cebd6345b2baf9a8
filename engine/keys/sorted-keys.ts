import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../segments/keys/key-list-builder.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';

export const NO_KEYS: KeyList = new KeyListBuilder({ keys: 0, bytes: 0 }).finish();

/** Keys that are encoded and sorted at once: a millisecond or so. */
const KEYS_AT_ONCE = 500;

/**
 * Returns the keys that the texts are, sorted. The texts are distinct, and may be hundreds of
 * thousands: a thread merges what is sorted here in small lists.
 */
export async function sortedKeys(
  reader: Pick<SegmentReader, 'threadPool' | 'caller' | 'pause'>,
  codec: Pick<KeyCodec, 'encodeIfKey'>,
  texts: readonly string[],
): Promise<KeyList> {
  const lists: KeyList[] = [];
  for (let i = 0; i < texts.length; i += KEYS_AT_ONCE) {
    const some = texts.slice(i, i + KEYS_AT_ONCE).flatMap((text) => codec.encodeIfKey(text) ?? []);
    if (some.length > 0) lists.push(sortedList(some));
    await reader.pause();
  }
  const [only, another] = lists;
  if (!another) return only ?? NO_KEYS;
  const { keys } = await reader.threadPool.unite(lists, reader.caller);
  return keys;
}

function sortedList(keys: Uint8Array[]): KeyList {
  keys.sort((a, b) => Buffer.compare(a, b));
  const list = new KeyListBuilder({ keys: keys.length, bytes: 0 });
  for (const key of keys) list.add(key);
  return list.finish();
}
