import {
  type KeyName,
  selectTexts,
  type TextsRow,
} from '../../../db/queries/segments/select-texts.ts';
import type { ReadSession, TimeBound } from '../../../db/session/read-session.ts';
import { splitCrossKey } from '../../../domain/keys/cross-key.ts';

/** A group as texts of keys are looked up: a cross-key's parts have their labels in other groups. */
export type DescribedGroup = {
  readonly groupId: number;
  readonly isCrossKey: boolean;
  /** By part; null: its group is gone. */
  readonly partGroupIds: readonly (number | null)[];
};

/** A key with what was said about it. */
export type DescribedKey = TextsRow & {
  /** Of a cross-key, unescaped and in order; else none. */
  readonly parts: readonly string[];
  /** What these are labelled in their own groups; null: not at all. */
  readonly partLabels: readonly (string | null)[];
};

export type KeyToDescribe = { readonly group: DescribedGroup; readonly key: string };

/** The texts of keys and of their parts, in the order of the keys, by one statement. */
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
