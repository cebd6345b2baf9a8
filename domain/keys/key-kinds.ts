import type { KeyKind, SimpleKeyKind } from './key-kind.ts';

/** A group of a context, with the GUIDs of a cross-key's parts. */
type KindedGroup = {
  readonly guid: string;
  readonly keyKind: KeyKind;
  readonly partGuids: readonly string[];
};

/**
 * Returns one kind for a simple group, and a kind for each part of a cross-key group; `groups` are
 * all groups of the context. A part whose group is gone is plain text.
 */
export function keyKinds(group: KindedGroup, groups: readonly KindedGroup[]): SimpleKeyKind[] {
  if (group.keyKind !== 'crosskey') return [group.keyKind];
  return group.partGuids.map((guid) => {
    const kind = groups.find((part) => part.guid === guid)?.keyKind;
    return kind === undefined || kind === 'crosskey' ? 'text' : kind;
  });
}
