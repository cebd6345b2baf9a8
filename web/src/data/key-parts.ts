import { isolated } from '../format/isolated.ts';
import { visibleText } from '../format/visible.ts';
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

/**
 * Returns the label of a key as it is shown. A label, or a part of one, without any visible
 * character is replaced by the readable key: there would be nothing to click.
 */
export function shownLabel(
  { label, readable }: Named,
  group: Pick<GroupChoice, 'crosskey'> | null,
): string {
  if (!group?.crosskey) return visibleText(label, readable);
  const readables = splitParts(readable);
  return splitParts(label)
    .map((part, index) => isolated(visibleText(part, readables[index] ?? part)))
    .join(' × ');
}

/** Returns the readable key to show beside the label; null if it says the same. */
export function readableBeside(row: Named, group: Pick<GroupChoice, 'crosskey'>): string | null {
  const readable = shownText(row.readable, group);
  return readable === shownLabel(row, group) ? null : readable;
}

/** Returns the labels to show; keys with the same label each get their readable key as well. */
export function distinctLabels(
  rows: readonly Keyed[],
  group: Pick<GroupChoice, 'crosskey'>,
): ReadonlyMap<string, string> {
  const keysOf = new Map<string, Set<string>>();
  for (const row of rows) {
    const shown = shownLabel(row, group);
    keysOf.set(shown, (keysOf.get(shown) ?? new Set()).add(row.key));
  }
  return new Map(
    rows.map((row) => {
      const shown = shownLabel(row, group);
      const readable = readableBeside(row, group);
      const isAlone = (keysOf.get(shown)?.size ?? 0) < 2 || readable === null;
      return [row.key, isAlone ? shown : withReadable(row, group)];
    }),
  );
}

/** Returns the label with the readable key; of a pair, each part with its own. */
function withReadable(row: Keyed, group: Pick<GroupChoice, 'crosskey'>): string {
  const [labels, readables] = group.crosskey
    ? [splitParts(row.label), splitParts(row.readable)]
    : [[row.label], [row.readable]];
  return readables
    .map((readable, index) => {
      const label = visibleText(labels[index] ?? '', readable);
      return label === readable ? isolated(label) : `${isolated(label)} (${isolated(readable)})`;
    })
    .join(' × ');
}

/** Returns the GUIDs of the groups that the parts are keys of. */
export const partGroups = ({ crosskey }: Pick<GroupChoice, 'crosskey'>): readonly string[] =>
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

type Named = { readonly label: string; readonly readable: string };

type Keyed = Named & { readonly key: string };

/** Returns the parts of a pair. */
export function partsOf(row: Keyed, group: Pick<GroupChoice, 'crosskey'>): readonly Part[] {
  const [keys, labels, readables] = [row.key, row.label, row.readable].map(splitParts);
  return partGroups(group).map((guid, index) => ({
    group: guid,
    key: keys?.[index] ?? '',
    label: visibleText(labels?.[index] ?? '', readables?.[index] ?? ''),
    readable: readables?.[index] ?? '',
  }));
}

/**
 * Returns all parts except the one drilled into; if a host talks to itself, its second part stays.
 * `groups`: those whose keys the key may be.
 */
export function otherParts(
  parts: readonly Part[],
  groups: readonly string[],
  key: string,
): readonly Part[] {
  const own = parts.findIndex((part) => groups.includes(part.group) && part.key === key);
  return parts.filter((_, index) => index !== own);
}

/** Names a part among those of all groups. */
export const partName = ({ group, key }: Part): string => `${group}${key}`;

/** Returns the labels to show by `partName`; parts with the same label get their readable key. */
export const distinctPartLabels = (parts: readonly Part[]): ReadonlyMap<string, string> =>
  distinctLabels(
    parts.map((part) => ({ ...part, key: partName(part) })),
    { crosskey: null },
  );
