import type { Connection } from '../../db/connection/connection.ts';
import { pagePartitionOf } from '../../db/page-tables.ts';
import { ensurePagePartition, keepPagePartition } from '../../db/sql/page-partitions.ts';
import { insertSlice, reserveSlice, selectAndHoldSlice } from '../../db/sql/slices.ts';
import { LIMITS } from '../../domain/limits.ts';
import { IMPORTED_LEVEL } from '../../domain/slices/segment-level.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { IngestError } from '../ingest-error.ts';
import { restoreCommand } from './archived-slice.ts';

/** The slices that an import fills. */
export type ImportSlices = {
  /**
   * Returns the slices that begin at these times, by start. Creates those that are missing. Each
   * has a partition for pages.
   */
  readonly slicesAt: (starts: readonly EpochSeconds[]) => Promise<ReadonlyMap<number, number>>;
  readonly filledCount: () => number;
  /** Number of filled slices that ended by then. */
  readonly endedCount: (by: EpochSeconds) => number;
  readonly madeCount: () => number;
};

type ImportSlicesOptions = {
  /** Connection on which the import's transaction is open. */
  readonly connection: Connection;
  /** A second connection, on which partitions are created in short transactions of their own. */
  readonly openSecond: () => Promise<Connection>;
  /** Name of the imported source in messages. */
  readonly source: string;
  readonly context: string;
  readonly contextId: number;
  readonly sliceSeconds: number;
  readonly engine: number;
  /** When all of it counts as imported, in epoch seconds. It determines where its pages are. */
  readonly importedAt: number;
};

export function openImportSlices(options: ImportSlicesOptions): ImportSlices {
  const { connection, source, context, contextId, engine, sliceSeconds, importedAt } = options;
  /** Slice ids by start. */
  const filled = new Map<EpochSeconds, number>();
  let madeCount = 0;

  async function findOrMake(startsAt: EpochSeconds): Promise<number> {
    const sliceKey = { contextId, engine, startsAt };
    const slice = await selectAndHoldSlice(connection, sliceKey);
    if (slice?.archived) {
      throw new IngestError(
        `${source}: ${sliceName(startsAt, engine)} is archived: restore it before importing ` +
          `into it, with ${restoreCommand({ context, engine, startsAt })}`,
      );
    }
    // Held first: until its row is visible, only the hold distinguishes its partition from an
    // orphan.
    const sliceId = slice?.sliceId ?? (await reserveSlice(connection));
    await ensurePages(sliceId);
    if (slice) return sliceId;
    await insertSlice(connection, { ...sliceKey, sliceId, endsAt: startsAt + sliceSeconds });
    madeCount += 1;
    return sliceId;
  }

  /**
   * Ensures that the slice has a partition. Another process may be removing it, because it is not
   * used yet, or no longer.
   */
  async function ensurePages(sliceId: number): Promise<void> {
    const partition = pagePartitionOf({ sliceId, level: IMPORTED_LEVEL, importedAt });
    while (!(await keepPagePartition(connection, partition))) {
      await ensurePagePartition(await options.openSecond(), partition);
    }
  }

  return {
    async slicesAt(starts) {
      const missing = [...new Set(starts)].filter((startsAt) => !filled.has(startsAt));
      if (filled.size + missing.length > LIMITS.importSlices) {
        throw new IngestError(
          `${source}: one file may fill at most ${LIMITS.importSlices} slices of ${sliceSeconds} seconds: ` +
            'import it in parts',
        );
      }
      for (const startsAt of missing) filled.set(startsAt, await findOrMake(startsAt));
      return filled;
    },
    filledCount: () => filled.size,
    endedCount: (by) =>
      [...filled.keys()].filter((startsAt) => startsAt + sliceSeconds <= by).length,
    madeCount: () => madeCount,
  };
}
