import type { Deadline, ReadSession } from '../../db/session/read-session.ts';
import { type KeyName, selectTexts } from '../../db/sql/key-texts.ts';
import { splitCrossKey } from '../../domain/keys/cross-key.ts';
import type { DescribedKey } from '../cache/text-cache.ts';
import type { DescribedGroup } from '../plan/catalog.ts';

export type KeyToDescribe = { readonly group: DescribedGroup; readonly key: string };

/** Reads the texts of keys and of their parts by one statement, in the order of the keys. */
export async function describeKeys(
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyToDescribe[],
  deadline: Deadline | null,
): Promise<DescribedKey[]> {
  const named = new Map<string, KeyName>();
  const split = keys.map(({ group, key }) => {
    const { keysGroupId } = group;
    named.set(nameOf(keysGroupId, key), { groupId: keysGroupId, key });
    const parts = group.isCrossKey ? (splitCrossKey(key) ?? []) : [];
    for (const [i, part] of parts.entries()) {
      const groupId = group.partGroupIds[i] ?? null;
      if (groupId !== null) named.set(nameOf(groupId, part), { groupId, key: part });
    }
    return parts;
  });
  const rows = named.size === 0 ? [] : await selectTexts(session, [...named.values()], deadline);
  const texts = new Map(rows.map((row) => [nameOf(row.groupId, row.key), row]));
  return keys.map(({ group, key }, i) => {
    const { keysGroupId: groupId, partGroupIds } = group;
    const own = texts.get(nameOf(groupId, key));
    const parts = split[i] ?? [];
    return {
      groupId,
      key,
      label: own?.label ?? null,
      description: own?.description ?? null,
      attributes: own?.attributes ?? null,
      parts,
      partLabels: parts.map((part, partIndex) => {
        const partGroup = partGroupIds[partIndex] ?? null;
        return partGroup === null ? null : (texts.get(nameOf(partGroup, part))?.label ?? null);
      }),
    };
  });
}

const nameOf = (groupId: number, key: string): string => `${groupId} ${key}`;
