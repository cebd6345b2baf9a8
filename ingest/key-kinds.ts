import type { GroupRow } from '../db/sql/declaration.ts';
import type { SimpleKeyKind } from '../domain/keys/key-kind.ts';

/**
 * Returns one kind for a simple group, and a kind for each part of a cross-key group; `groups` are
 * all groups of the context. A part whose group is gone is plain text.
 */
export function keyKinds(group: GroupRow, groups: readonly GroupRow[]): SimpleKeyKind[] {
  if (group.keyKind !== 'crosskey') return [group.keyKind];
  return group.partGuids.map((guid) => {
    const kind = groups.find((part) => part.guid === guid)?.keyKind;
    return kind === undefined || kind === 'crosskey' ? 'text' : kind;
  });
}
