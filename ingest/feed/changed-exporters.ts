import type { ExporterRow } from '../../db/sql/exporters.ts';

/** What a commit has to store of exporters. */
export type ExporterChanges = {
  /** Those of which something is new. */
  readonly changed: readonly ExporterRow[];
  /** Addresses of those that are stored and no longer known. */
  readonly gone: readonly string[];
};

/**
 * Finds what is new of exporters since the last commit. A thousand that are silent would otherwise
 * be written every ten seconds, and forged addresses, which the collector forgets, be kept.
 */
export function changedExporters() {
  /** What is stored, as JSON, by address: by the current transaction, and by those before it. */
  let stored = new Map<string, string>();
  let committed = new Map<string, string>();
  return {
    of(rows: readonly ExporterRow[]): ExporterChanges {
      const before = committed;
      stored = new Map(rows.map((row) => [row.address, JSON.stringify(row)]));
      return {
        changed: rows.filter(({ address }) => before.get(address) !== stored.get(address)),
        gone: [...before.keys()].filter((address) => !stored.has(address)),
      };
    },
    /** Called when the transaction, or an earlier attempt at it, was committed. */
    commit(): void {
      committed = stored;
    },
  };
}
