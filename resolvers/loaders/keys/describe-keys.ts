import {
  type KeyName,
  selectTexts,
  type TextsRow,
} from '../../../db/queries/segments/select-texts.ts';
import type { ReadSession, TimeBound } from '../../../db/session/read-session.ts';
import { splitCrossKey } from '../../../domain/keys/cross-key.ts';

/** A group, for looking up texts of keys: the parts of cross-keys have labels in other groups. */
export type DescribedGroup = {
  readonly groupId: number;
  readonly isCrossKey: boolean;
  /** By part; null: its group no longer exists. */
  readonly partGroupIds: readonly (number | null)[];
};

/** A key with its texts. */
export type DescribedKey = TextsRow & {
  /** The parts of a cross-key, unescaped and in order; empty for other keys. */
  readonly parts: readonly string[];
  /** The labels of the parts in their own groups; null: no label. */
  readonly partLabels: readonly (string | null)[];
};

export type KeyToDescribe = { readonly group: DescribedGroup; readonly key: string };

/** Reads the texts of keys and of their parts by one statement, in the order of the keys. */
export async function describeKeys(
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyToDescribe[],
  bound: TimeBound | null,
): Promise<DescribedKey[]> {
  const named = new Map<string, KeyName>();
  const split = keys.map(({ group, key }) => {
    named.set(nameOf(group.groupId, key), { groupId: group.groupId, key });
    const parts = group.isCrossKey ? (splitCrossKey(key) ?? []) : [];
    for (const [i, part] of parts.entries()) {
      const groupId = group.partGroupIds[i] ?? null;
      if (groupId !== null) named.set(nameOf(groupId, part), { groupId, key: part });
    }
    return parts;
  });
  const rows = named.size === 0 ? [] : await selectTexts(session, [...named.values()], bound);
  const texts = new Map(rows.map((row) => [nameOf(row.groupId, row.key), row]));
  return keys.map(({ group, key }, i) => {
    const { groupId, partGroupIds } = group;
    const own = texts.get(nameOf(groupId, key));
    const parts = split[i] ?? [];
    return {
      groupId,
      key,
      label: own?.label ?? null,
      description: own?.description ?? null,
      attributes: own?.attributes ?? null,
      parts,
      partLabels: parts.map((part, place) => {
        const partGroup = partGroupIds[place] ?? null;
        return partGroup === null ? null : (texts.get(nameOf(partGroup, part))?.label ?? null);
      }),
    };
  });
}

const nameOf = (groupId: number, key: string): string => `${groupId} ${key}`;
