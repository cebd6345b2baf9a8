import type { GroupChoice } from './choices.ts';

/** The parts of a cross-key group's text: joined by a backslash, which within a part is doubled. */
export function splitParts(text: string): readonly string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\\\|\\|[^\\]+/g)) {
    if (piece === '\\') parts.push('');
    else parts.push(`${parts.pop()}${piece === '\\\\' ? '\\' : piece}`);
  }
  return parts;
}

/** A label or readable key as it is shown: of a pair, its parts. */
export const shownText = (text: string, group: Pick<GroupChoice, 'crosskey'>): string =>
  group.crosskey ? splitParts(text).join(' × ') : text;

/** Labels as they are shown; where several keys have the same, each with its readable key. */
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
      return [key, isAlone ? shown : `${shown} (${shownText(readable, group)})`];
    }),
  );
}

/** GUIDs of the groups whose keys the parts are. */
export const partGroups = ({ crosskey }: Pick<GroupChoice, 'crosskey'>): readonly string[] =>
  crosskey
    ? [
        crosskey.parentGuid,
        crosskey.crosskeyGuid1,
        ...(crosskey.crosskeyGuid2 ? [crosskey.crosskeyGuid2] : []),
      ]
    : [];

export type Part = {
  /** Of the group that the part is a key of. */
  readonly group: string;
  /** Raw. */
  readonly key: string;
  readonly label: string;
  readonly readable: string;
};

type Keyed = { readonly key: string; readonly label: string; readonly readable: string };

/** What a pair is made of, part by part. */
export function partsOf(row: Keyed, group: Pick<GroupChoice, 'crosskey'>): readonly Part[] {
  const [keys, labels, readables] = [row.key, row.label, row.readable].map(splitParts);
  return partGroups(group).map((guid, index) => ({
    group: guid,
    key: keys?.[index] ?? '',
    label: labels?.[index] ?? '',
    readable: readables?.[index] ?? '',
  }));
}

/** All parts but the one that was drilled into; its twin, where a host talks to itself, stays. */
export function otherParts(parts: readonly Part[], group: string, key: string): readonly Part[] {
  const own = parts.findIndex((part) => part.group === group && part.key === key);
  return parts.filter((_, index) => index !== own);
}
