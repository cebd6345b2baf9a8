import type { Deadline, ReadSession } from '../../db/session/read-session.ts';
import { selectUserKeys } from '../../db/sql/key-texts.ts';
import { type FoundKeys, findKeys, type KeySearch } from './find-keys.ts';

type ExistenceSearch = KeySearch & {
  /** Reads in the same snapshot as the segments. */
  readonly session: Pick<ReadSession, 'read'>;
  readonly deadline?: Deadline | null;
};

/**
 * Returns, by groupId, which of its wanted keys exist: keys that an available slice has (one with
 * live segments), and keys that a user gave texts. Labels that came from DNS answers or MaxMind
 * files do not make a key exist. Runs one statement for texts, and one for pages unless the texts
 * settle all keys. Errors: those of findKeys.
 */
export async function existingKeys(search: ExistenceSearch): Promise<FoundKeys> {
  const { missing: wanted, session, deadline } = search;
  const named = wanted.flatMap(({ groupId, keys }) => keys.map((key) => ({ groupId, key })));
  const byUser = new Map(wanted.map(({ groupId }) => [groupId, new Set<string>()]));
  if (named.length === 0) return byUser;
  for (const { groupId, key } of await selectUserKeys(session, named, deadline)) {
    byUser.get(groupId)?.add(key);
  }
  const stored = await findKeys({
    ...search,
    missing: wanted.map((group) => ({
      ...group,
      keys: group.keys.filter((key) => !byUser.get(group.groupId)?.has(key)),
    })),
  });
  for (const [groupId, keys] of byUser) for (const key of stored.get(groupId) ?? []) keys.add(key);
  return byUser;
}
