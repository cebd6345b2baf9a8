import type { Connection } from '../db/write/connection.ts';
import { insertKeys, type NewKey } from '../db/write/insert-keys.ts';
import { type KeyPlace, selectKeyIds } from '../db/write/select-key-ids.ts';
import { selectLastKeyIds } from '../db/write/select-last-key-ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { shardOf } from '../domain/shard.ts';
import type { ImportGroup } from './import-group.ts';
import type { ImportKey } from './import-key.ts';

/** Things of one group that have keys. */
export type Keyed = {
  readonly group: ImportGroup;
  readonly things: Iterable<{ readonly key: ImportKey }>;
};

export type KeyId = { readonly shard: number; readonly keyId: number };

/** About what a map's entry, an id and the string's own header take. */
const ENTRY_BYTES = 150;

/** The ids of a context's keys, while the context is locked. */
export type KeyIds = {
  /** Makes the ids of these keys known, and the keys that are not there. */
  readonly learn: (keyed: Iterable<Keyed>) => Promise<void>;
  /** The id of a key that was learned by the last call of `learn`. */
  readonly idOf: (group: ImportGroup, text: string) => KeyId;
  /** How many keys were made so far. */
  readonly madeCount: () => number;
};

/**
 * Remembers ids from one batch to the next, since most keys come again. When the remembered texts
 * become too many, all are forgotten and looked up anew: memory stays bounded however many keys a
 * file has.
 */
export async function openKeyIds(connection: Connection, contextId: number): Promise<KeyIds> {
  const known = new Map<number, Map<string, KeyId>>();
  const lastIds = new Map<string, number>();
  for (const { groupId, shard, lastKeyId } of await selectLastKeyIds(connection, contextId)) {
    lastIds.set(`${groupId} ${shard}`, lastKeyId);
  }
  let knownBytes = 0;
  let madeCount = 0;

  function remember({ groupId, shard, key }: KeyPlace, keyId: number): void {
    const ofGroup = known.get(groupId) ?? new Map<string, KeyId>();
    known.set(groupId, ofGroup.set(key, { shard, keyId }));
    knownBytes += ENTRY_BYTES + 2 * key.length;
  }

  /** Dense within group and shard (ADR 2): the id after the highest. */
  function nextId({ groupId, shard }: KeyPlace): number {
    const place = `${groupId} ${shard}`;
    const keyId = (lastIds.get(place) ?? -1) + 1;
    lastIds.set(place, keyId);
    return keyId;
  }

  return {
    async learn(keyed) {
      if (knownBytes > LIMITS.importKnownKeyBytes) {
        known.clear();
        knownBytes = 0;
      }
      const unknown = unknownPlaces(known, keyed);
      if (unknown.length === 0) return;
      const ids = await selectKeyIds(connection, unknown);
      const made: NewKey[] = [];
      for (const [i, place] of unknown.entries()) {
        const keyId = ids[i] ?? nextId(place);
        if (ids[i] === null) made.push({ ...place, keyId });
        remember(place, keyId);
      }
      if (made.length > 0) await insertKeys(connection, made);
      madeCount += made.length;
    },
    idOf(group, text) {
      const id = known.get(group.groupId)?.get(text);
      if (id === undefined) throw new Error(`the id of key ${text} was not learned`);
      return id;
    },
    madeCount: () => madeCount,
  };
}

/** A key that may have to be made. */
type PlacedKey = Omit<NewKey, 'keyId'>;

/** The places of the keys whose ids are not known, each once. */
function unknownPlaces(
  known: ReadonlyMap<number, ReadonlyMap<string, KeyId>>,
  keyed: Iterable<Keyed>,
): PlacedKey[] {
  const places = new Map<number, Map<string, PlacedKey>>();
  for (const { group, things } of keyed) {
    const { groupId, shardCount } = group;
    const knownIds = known.get(groupId);
    const ofGroup = places.get(groupId) ?? new Map<string, PlacedKey>();
    places.set(groupId, ofGroup);
    for (const { key } of things) {
      if (knownIds?.has(key.text) || ofGroup.has(key.text)) continue;
      const shard = shardOf(key.text, shardCount);
      ofGroup.set(key.text, { groupId, shard, key: key.text, parts: key.parts ?? [] });
    }
  }
  return [...places.values()].flatMap((ofGroup) => [...ofGroup.values()]);
}
