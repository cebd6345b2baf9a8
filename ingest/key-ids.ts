import type { Connection } from '../db/write/connection.ts';
import { insertKeys, type NewKey } from '../db/write/insert-keys.ts';
import { type KeyPlace, selectKeyIds } from '../db/write/select-key-ids.ts';
import { selectLastKeyIds } from '../db/write/select-last-key-ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { shardOf } from '../domain/shard.ts';
import type { KeyTable, NewTableKey } from './key-table.ts';
import { createKeyTables, type KeyTables } from './key-tables.ts';

/** The ids of a context's keys, while the context is locked. */
export type KeyIds = {
  /**
   * Where the next batch puts its keys: the tables of the batch before, since most keys come again.
   * When they have become too large, new ones are begun: memory stays bounded however many keys a
   * file has.
   */
  readonly tables: () => KeyTables;
  /** Makes the ids of the tables' new keys known, and the keys that are not there. */
  readonly learn: (tables: KeyTables) => Promise<void>;
  /** How many keys were made so far. */
  readonly madeCount: () => number;
};

export async function openKeyIds(
  connection: Connection,
  contextId: number,
  maxKnownBytes: number = LIMITS.importKnownKeyBytes,
): Promise<KeyIds> {
  const lastRows = await selectLastKeyIds(connection, contextId);
  const lastIds = new Map(lastRows.map((row) => [placeName(row), row.lastKeyId]));
  const groupsWithKeys = new Set(lastRows.map(({ groupId }) => groupId));
  let tables = createKeyTables();
  let hasForgotten = false;
  let madeCount = 0;

  /** Whether a key that is in no table can be there: not in a group that was empty at first. */
  const mayBeThere = ({ groupId }: KeyPlace) => hasForgotten || groupsWithKeys.has(groupId);

  /** Sets the ids of those that are there, and gives the others. */
  async function findIds(keys: readonly UnknownKey[]): Promise<UnknownKey[]> {
    if (keys.length === 0) return [];
    const ids = await selectKeyIds(connection, keys);
    return keys.filter(({ table, index, shard }, i) => {
      const keyId = ids[i] ?? null;
      if (keyId !== null) table.setId(index, { shard, keyId });
      return keyId === null;
    });
  }

  /** Dense within group and shard (ADR 2): the id after the highest. */
  function withNextId({ table, index, ...key }: UnknownKey): NewKey {
    const place = placeName(key);
    const keyId = (lastIds.get(place) ?? -1) + 1;
    lastIds.set(place, keyId);
    table.setId(index, { shard: key.shard, keyId });
    return { ...key, keyId };
  }

  return {
    tables() {
      if (tables.sizeBytes() > maxKnownBytes) {
        tables = createKeyTables();
        hasForgotten = true;
      }
      return tables;
    },
    async learn(learned) {
      const unknown = unknownKeys(learned);
      const missing = await findIds(unknown.filter(mayBeThere));
      const made = [...missing, ...unknown.filter((key) => !mayBeThere(key))].map(withNextId);
      if (made.length > 0) await insertKeys(connection, made);
      madeCount += made.length;
    },
    madeCount: () => madeCount,
  };
}

const placeName = ({ groupId, shard }: { groupId: number; shard: number }): string =>
  `${groupId} ${shard}`;

/** A key that may have to be made, and where its id belongs. */
type UnknownKey = Omit<NewKey, 'keyId'> & {
  readonly table: KeyTable;
  readonly index: number;
};

const unknownKeys = (tables: KeyTables): UnknownKey[] =>
  [...tables.all()].flatMap((table) =>
    table.takeNewKeys().map((newKey) => unknownKey(table, newKey)),
  );

function unknownKey(table: KeyTable, { index, key }: NewTableKey): UnknownKey {
  const { groupId, shardCount } = table.group;
  const shard = shardOf(key.text, shardCount);
  return { table, index, groupId, shard, key: key.text, parts: key.parts ?? [] };
}
