import type { Connection } from '../db/write/connection.ts';
import { createPartition } from '../db/write/create-partition.ts';
import { insertSlice } from '../db/write/insert-slice.ts';
import { reserveSlice, selectAndHoldSlice } from '../db/write/select-slice.ts';
import { type EpochSeconds, floorTo } from '../domain/interval.ts';
import { LIMITS } from '../domain/limits.ts';
import { sliceName } from '../domain/slice-name.ts';
import { restoreCommand } from './archived-slice.ts';
import { IngestError } from './ingest-error.ts';

/** A slice's id, and the time up to which buckets are in it. */
export type ImportSlice = { readonly sliceId: number; readonly endsAt: EpochSeconds };

/** The slices that an import fills. */
export type ImportSlices = {
  /** The slice that holds a bucket, which is made where there is none. */
  readonly sliceOf: (bucket: EpochSeconds) => Promise<ImportSlice>;
  /** Whether all samples of one of them are in blocks too. */
  readonly isPacked: (sliceId: number) => boolean;
  readonly filledCount: () => number;
  /** How many of those that are filled ended by then. */
  readonly endedCount: (by: EpochSeconds) => number;
  readonly madeCount: () => number;
};

export type ImportSlicesOptions = {
  /** Where the import's transaction is open. */
  readonly connection: Connection;
  /** A second connection, on which partitions are made in short transactions of their own. */
  readonly openSecond: () => Promise<Connection>;
  /** What messages call the thing that is imported. */
  readonly source: string;
  readonly context: string;
  readonly contextId: number;
  readonly sliceSeconds: number;
  readonly engine: number;
};

export function openImportSlices(options: ImportSlicesOptions): ImportSlices {
  const { connection, source, context, contextId, engine, sliceSeconds } = options;
  const filled = new Map<EpochSeconds, ImportSlice>();
  const unpacked = new Set<number>();
  let madeCount = 0;

  async function findOrMake(startsAt: EpochSeconds): Promise<number> {
    const place = { contextId, engine, startsAt };
    const slice = await selectAndHoldSlice(connection, place);
    if (slice?.archived) {
      throw new IngestError(
        `${source}: ${sliceName(startsAt, engine)} is archived: restore it before importing ` +
          `into it, with ${restoreCommand({ context, engine, startsAt })}`,
      );
    }
    if (slice && !slice.packed) unpacked.add(slice.sliceId);
    if (slice) return slice.sliceId;
    // Held first: until its row can be seen, only that tells its partition from an orphan.
    const sliceId = await reserveSlice(connection);
    await createPartition(await options.openSecond(), sliceId);
    await insertSlice(connection, { ...place, sliceId, endsAt: startsAt + sliceSeconds });
    madeCount += 1;
    return sliceId;
  }

  return {
    async sliceOf(bucket) {
      const startsAt = floorTo(bucket, sliceSeconds);
      const known = filled.get(startsAt);
      if (known !== undefined) return known;
      if (filled.size >= LIMITS.importSlices) {
        throw new IngestError(
          `${source}: one file may fill at most ${LIMITS.importSlices} slices of ${sliceSeconds} seconds: ` +
            'import it in parts',
        );
      }
      const sliceId = await findOrMake(startsAt);
      const slice = { sliceId, endsAt: startsAt + sliceSeconds };
      filled.set(startsAt, slice);
      return slice;
    },
    isPacked: (sliceId) => !unpacked.has(sliceId),
    filledCount: () => filled.size,
    endedCount: (by) => [...filled.values()].filter(({ endsAt }) => endsAt <= by).length,
    madeCount: () => madeCount,
  };
}
