import type { ImportGroup } from './import-group.ts';
import { KeyTable } from './key-table.ts';

/** The key tables of all groups that an import has met. */
export type KeyTables = {
  /** The table of a group, empty where the group is new. */
  readonly of: (group: ImportGroup) => KeyTable;
  readonly all: () => Iterable<KeyTable>;
  /** About how many bytes of memory they take. */
  readonly sizeBytes: () => number;
};

export function createKeyTables(): KeyTables {
  const tables = new Map<number, KeyTable>();
  const size = { bytes: 0 };
  return {
    of(group) {
      const known = tables.get(group.groupId);
      if (known) return known;
      const table = new KeyTable(group, size);
      tables.set(group.groupId, table);
      return table;
    },
    all: () => tables.values(),
    sizeBytes: () => size.bytes,
  };
}
