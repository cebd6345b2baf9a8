import type { Connection } from '../../db/connection/connection.ts';
import { holdContext, releaseContext } from '../../db/connection/lock-context.ts';
import { requireSession, withConnection } from '../../db/connection/with-connection.ts';
import {
  dropFormat1Tables,
  type Format1Slice,
  lockConversion,
  removeUnusedPartitions,
  selectContexts,
  selectFormat1Slices,
  selectIsConverting,
} from '../../db/sql/conversion.ts';
import { selectIsPrimary } from '../../db/sql/server-state.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { convertSlice } from './convert-slice.ts';

/*
 * Version 1.7 stored segments of format 1, which has each reading three times. This converts them,
 * slice by slice:
 *
 *   1. `migrate` adapts the schema (migrations/from-1.7/adapt.sql), which moves the tables of pages
 *      aside and makes the manifest refuse segments of format 1. So a process that still runs 1.7
 *      fails with an error instead of writing what nobody reads.
 *   2. Take the lock of every context, so that nobody archives or drops a slice meanwhile.
 *   3. Convert the slices, oldest first, each in a transaction that also removes its old segments
 *      and drops its old partitions. If this is killed at any moment, the next run continues with
 *      the slice that was interrupted.
 *   4. Drop the old tables.
 *
 * Archived slices stay in their files: restoring them converts them (convert-segment.ts).
 */

export type ConversionTarget = { readonly databaseUrl: string };

/** Progress, reported before each slice, as its rows are read, and after it. */
export type ConversionProgress = {
  readonly context: string;
  readonly slice: string;
  /** Of all that this run has to convert. */
  readonly slices: { readonly done: number; readonly of: number };
  readonly bytes: { readonly done: number; readonly of: number };
  /** Samples of this run so far. */
  readonly samples: number;
};

export type ConversionOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ConversionProgress) => void) | undefined;
  /** Called with the name of a context that another process has locked, before waiting for it. */
  readonly onWaiting?: ((context: string) => void) | undefined;
};

/** What this run did. */
export type ConvertedDatabase = {
  readonly slices: number;
  /** One per key and bucket of each segment. */
  readonly samples: number;
  readonly segments: number;
};

/** Returns whether the database has segments of 1.7 that are still to be converted. */
export const hasFormat1 = ({ databaseUrl }: ConversionTarget): Promise<boolean> =>
  withConnection({ databaseUrl }, 'conversion', async (connection) => {
    if (!(await selectIsConverting(connection))) return false;
    return (await selectFormat1Slices(connection)).length > 0;
  });

/**
 * Converts what version 1.7 stored. Waits if another process is doing the same. No error loses
 * data: the next run continues with the rest. Returns null if there is nothing to convert. Needs a
 * session of its own, not that of a pooler in transaction mode.
 */
export const convertDatabase = (
  { databaseUrl }: ConversionTarget,
  options: ConversionOptions = {},
): Promise<ConvertedDatabase | null> =>
  withConnection({ databaseUrl, signal: options.signal }, 'conversion', async (connection) => {
    if (!(await selectIsConverting(connection))) return null;
    if (!(await selectIsPrimary(connection))) {
      throw new Error('The database is a standby and not converted: migrate its primary');
    }
    requireSession(connection, 'The database cannot be converted');
    await lockConversion(connection);
    if (!(await selectIsConverting(connection))) return null;
    return inHeldContexts(connection, options, () => convertAll(connection, options));
  });

async function inHeldContexts<T>(
  connection: Connection,
  { onWaiting, signal }: ConversionOptions,
  work: () => Promise<T>,
): Promise<T> {
  const held: number[] = [];
  try {
    for (const { contextId, name } of await selectContexts(connection)) {
      signal?.throwIfAborted();
      await holdContext(connection, contextId, { onWaiting: () => onWaiting?.(name) });
      held.push(contextId);
    }
    return await work();
  } finally {
    // A lost connection has released the locks already.
    for (const contextId of held) {
      await releaseContext(connection, contextId).catch(() => undefined);
    }
  }
}

async function convertAll(
  connection: Connection,
  options: ConversionOptions,
): Promise<ConvertedDatabase> {
  await removeUnusedPartitions(connection);
  const converted = await convertSlices(connection, await selectFormat1Slices(connection), options);
  await dropFormat1Tables(connection);
  return converted;
}

async function convertSlices(
  connection: Connection,
  slices: readonly Format1Slice[],
  { signal, onProgress }: ConversionOptions,
): Promise<ConvertedDatabase> {
  const ofBytes = slices.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  let samples = 0;
  let segments = 0;
  for (const [done, slice] of slices.entries()) {
    const report = (slicesDone: number, rows: number, part: number) =>
      onProgress?.({
        context: slice.context,
        slice: nameOf(slice),
        slices: { done: slicesDone, of: slices.length },
        bytes: { done: doneBytes + part * slice.sizeBytes, of: ofBytes },
        samples: samples + rows,
      });
    signal?.throwIfAborted();
    report(done, 0, 0);
    const converted = await convertSlice(connection, slice, {
      now: Math.floor(Date.now() / 1000),
      signal,
      onRows: (rows, part) => report(done, rows, part),
    });
    doneBytes += slice.sizeBytes;
    samples += converted.samples;
    segments += converted.segments;
    report(done + 1, 0, 0);
  }
  return { slices: slices.length, samples, segments };
}

/** Segments may be left of a slice that is gone, and has no name any more. */
const nameOf = ({ sliceId, startsAt, engine }: Format1Slice): string =>
  startsAt === null || engine === null ? `slice ${sliceId}` : sliceName(startsAt, engine);
