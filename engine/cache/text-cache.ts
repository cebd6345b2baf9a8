import type { TextsRow } from '../../db/sql/key-texts.ts';
import { CacheStats } from './cache-stats.ts';

/** A key with its texts. */
export type DescribedKey = TextsRow & {
  /** The parts of a cross-key, unescaped and in order; empty for other keys. */
  readonly parts: readonly string[];
  /** The labels of the parts in their own groups; null: no label. */
  readonly partLabels: readonly (string | null)[];
};

/** The context and group of keys, and the version of their texts. */
export type TextsOf = {
  readonly context: string;
  readonly textVersion: number;
  readonly groupId: number;
};

/** Keys of a context at one version of its texts. Most recently used groups and keys come last. */
type ContextKeys = {
  readonly textVersion: number;
  readonly groups: Map<number, Map<string, DescribedKey>>;
  count: number;
  bytes: number;
};

/** Maximum number of cached keys per context: some dashboards of a few hundred keys each. */
const MAX_KEYS = 20_000;

/** A key with more attributes than this is read each time, so that memory stays bounded. */
const MAX_ATTRIBUTES = 20;

/** Approximate size of a key besides the characters of its texts. */
const ENTRY_BYTES = 300;

/** A cache of keys with their texts, valid until a text of the context changes. */
export class TextCache {
  readonly tally = new CacheStats();
  readonly #contexts = new Map<string, ContextKeys>();

  get bytes(): number {
    return [...this.#contexts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Returns the cached rows in the order of the keys; undefined for a key that is not cached. */
  find(
    { context, textVersion, groupId }: TextsOf,
    keys: readonly string[],
  ): (DescribedKey | undefined)[] {
    const known = this.#contexts.get(context);
    const group = known?.textVersion === textVersion ? known.groups.get(groupId) : undefined;
    if (group) moveToEnd(known?.groups, groupId, group);
    let hits = 0;
    const rows = keys.map((key) => {
      const row = group?.get(key);
      if (!row) return undefined;
      hits += 1;
      moveToEnd(group, key, row);
      return row;
    });
    this.tally.count(hits, keys.length - hits);
    return rows;
  }

  keep({ context, textVersion, groupId }: TextsOf, row: DescribedKey): void {
    if (Object.keys(row.attributes ?? {}).length > MAX_ATTRIBUTES) return;
    const known = this.#contexts.get(context);
    if (known && known.textVersion > textVersion) return;
    const keys: ContextKeys =
      known?.textVersion === textVersion
        ? known
        : { textVersion, groups: new Map(), count: 0, bytes: 0 };
    this.#contexts.set(context, keys);
    const group = keys.groups.get(groupId) ?? new Map<string, DescribedKey>();
    const before = group.get(row.key);
    moveToEnd(keys.groups, groupId, group);
    moveToEnd(group, row.key, row);
    keys.count += before ? 0 : 1;
    keys.bytes += bytesOf(row) - bytesOf(before);
    if (keys.count > MAX_KEYS) dropOldest(keys);
  }

  clear(): void {
    this.#contexts.clear();
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value> | undefined, key: Key, value: Value): void {
  map?.delete(key);
  map?.set(key, value);
}

function dropOldest(keys: ContextKeys): void {
  for (const [groupId, group] of keys.groups) {
    for (const [key, row] of group) {
      group.delete(key);
      if (group.size === 0) keys.groups.delete(groupId);
      keys.count -= 1;
      keys.bytes -= bytesOf(row);
      return;
    }
  }
}

function bytesOf(row: DescribedKey | undefined): number {
  if (!row) return 0;
  const { key, label, description, attributes } = row;
  const texts = [key, label, description, attributes && JSON.stringify(attributes)];
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), ENTRY_BYTES);
}
