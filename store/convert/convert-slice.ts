import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { markSliceConverted } from '../../db/write/convert/conversion-state.ts';
import { oldTablesOf, selectIsTable } from '../../db/write/convert/old-tables.ts';
import { publishWritten } from './publish-written.ts';
import { type WritingOptions, writeOldSamples } from './write-old-samples.ts';

type SliceToConvert = {
  readonly contextId: number;
  readonly sliceId: number;
  /** Epoch seconds, exclusive. */
  readonly endsAt: number;
};

export type ConvertedSlice = {
  /** Rows of the old table. */
  readonly samples: number;
  /** Live segments. */
  readonly segments: number;
};

/**
 * Makes segments of a slice's samples, in one transaction that also marks the slice as done.
 * Nothing is removed from the old tables. The readings stay the same, so no answer becomes stale.
 * Returns null if the slice was converted before. Nobody may write samples of the context meanwhile
 * (lock-context.ts).
 */
export const convertSlice = (
  connection: Connection,
  slice: SliceToConvert,
  options: WritingOptions,
): Promise<ConvertedSlice | null> =>
  inTransaction(connection, async () => {
    const { contextId, sliceId, endsAt } = slice;
    if (!(await markSliceConverted(connection, sliceId))) return null;
    const tables = oldTablesOf(sliceId);
    await requireSamples(connection, tables.samples);
    const toWrite = { contextId, sliceId, isOver: endsAt <= options.now };
    const written = await writeOldSamples(connection, toWrite, { ...options, tables });
    const publication = { contextId, changes: 'layout', at: options.now } as const;
    await publishWritten(connection, publication, written);
    return { samples: written.samples, segments: written.live.length };
  });

/** Checks that the table exists: somebody may have dropped it by hand. */
async function requireSamples(connection: Connection, table: string): Promise<void> {
  if (await selectIsTable(connection, table)) return;
  throw new Error(
    `the samples of each slice must be in a table of its own, but ${table} is not there: put it ` +
      'back, or drop the slice with the version that was installed before',
  );
}
