import { isolated } from '../format/isolated.ts';
import type { GroupChoice } from './choices.ts';

/** Splits a cross-key text into its parts: a backslash joins them, and is doubled within a part. */
export function splitParts(text: string): readonly string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\\\|\\|[^\\]+/g)) {
    if (piece === '\\') parts.push('');
    else parts.push(`${parts.pop()}${piece === '\\\\' ? '\\' : piece}`);
  }
  return parts;
}

/** Returns a label or readable key as it is shown; that of a pair as its parts. */
export const shownText = (text: string, group: Pick<GroupChoice, 'crosskey'>): string =>
  group.crosskey ? splitParts(text).map(isolated).join(' × ') : text;

/** Returns the labels to show; keys with the same label each get their readable key as well. */
export function tellApart(
  rows: readonly Keyed[],
  group: Pick<GroupChoice, 'crosskey'>,
): ReadonlyMap<string, string> {
  const keysOf = new Map<string, Set<string>>();
  for (const { key, label } of rows) {
    keysOf.set(label, (keysOf.get(label) ?? new Set()).add(key));
  }
  return new Map(
    rows.map(({ key, label, readable }) => {
      const isAlone = (keysOf.get(label)?.size ?? 0) < 2 || label === readable;
      const shown = shownText(label, group);
      return [key, isAlone ? shown : `${isolated(shown)} (${shownText(readable, group)})`];
    }),
  );
}

/** Returns the GUIDs of the groups that the parts are keys of. */
const partGroups = ({ crosskey }: Pick<GroupChoice, 'crosskey'>): readonly string[] =>
  crosskey
    ? [
        crosskey.parentGuid,
        crosskey.crosskeyGuid1,
        ...(crosskey.crosskeyGuid2 ? [crosskey.crosskeyGuid2] : []),
      ]
    : [];

export type Part = {
  /** GUID of the group that the part is a key of. */
  readonly group: string;
  /** The raw key. */
  readonly key: string;
  readonly label: string;
  readonly readable: string;
};

type Keyed = { readonly key: string; readonly label: string; readonly readable: string };

/** Returns the parts of a pair. */
export function partsOf(row: Keyed, group: Pick<GroupChoice, 'crosskey'>): readonly Part[] {
  const [keys, labels, readables] = [row.key, row.label, row.readable].map(splitParts);
  return partGroups(group).map((guid, index) => ({
    group: guid,
    key: keys?.[index] ?? '',
    label: labels?.[index] ?? '',
    readable: readables?.[index] ?? '',
  }));
}

/**
 * Returns all parts except the one drilled into; if a host talks to itself, its second part stays.
 */
export function otherParts(parts: readonly Part[], group: string, key: string): readonly Part[] {
  const own = parts.findIndex((part) => part.group === group && part.key === key);
  return parts.filter((_, index) => index !== own);
}
