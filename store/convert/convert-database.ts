import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { markTextsConverted, selectUnconverted } from '../../db/write/convert/conversion-state.ts';
import { copyOldTexts } from '../../db/write/convert/copy-old-texts.ts';
import { dropOldTables as dropTables } from '../../db/write/convert/drop-old-tables.ts';
import { freezeOldTables } from '../../db/write/convert/freeze-old-tables.ts';
import { selectHasOldTables } from '../../db/write/convert/old-tables.ts';
import {
  type OldContext,
  type OldSlice,
  selectOldContexts,
  selectOldSlices,
} from '../../db/write/convert/select-old-slices.ts';
import { selectGroups } from '../../db/write/declaration/select-groups.ts';
import { holdContext, releaseContext } from '../../db/write/lock-context.ts';
import { requireSession } from '../../db/write/require-session.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { ConversionLimits } from './conversion-limits.ts';
import { convertSlice } from './convert-slice.ts';

/*
 * Version 0.7 kept each reading as a row of `samples`, each key as a row of `keys`, and a packed
 * second copy of both. This converts all of it to segments, slice by slice:
 *
 *   1. Take the lock of every context, which imports and feeds of any version wait for.
 *   2. Make the old tables refuse writes, so that a process that still runs the old version fails
 *      with an error instead of writing where nobody reads any more.
 *   3. Convert the texts of each context, then its slices, oldest first, each in a transaction that
 *      also marks it as done. If this is killed at any moment, the next run continues with the
 *      slice that was interrupted.
 *   4. Leave the old tables as they are until dropOldTables, which requires all of it to be done.
 *
 * Archived slices stay in their files (restore-old-archive.ts).
 */

export type ConversionTarget = { readonly databaseUrl: string };

/** Progress, reported before each slice, as its samples are read, and after it. */
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
  /** The clock, in epoch seconds: decides which slices are over. */
  readonly now?: (() => number) | undefined;
  readonly limits?: ConversionLimits | undefined;
};

/** What this run did; all 0 if everything was converted before. */
export type ConvertedDatabase = {
  readonly slices: number;
  readonly samples: number;
  readonly segments: number;
  /** Keys that have a label, a description or attributes. */
  readonly texts: number;
};

/**
 * Converts what version 0.7 stored. No error loses data: the next run continues with the rest.
 * Needs a session of its own, not that of a pooler in transaction mode.
 */
export const convertDatabase = (
  { databaseUrl }: ConversionTarget,
  options: ConversionOptions = {},
): Promise<ConvertedDatabase> =>
  withConnection({ databaseUrl, signal: options.signal }, 'conversion', async (connection) =>
    (await selectHasOldTables(connection)) ? convertAll(connection, options) : NOTHING,
  );

/** Does the same on a connection to a database that has the old tables. */
export async function convertAll(
  connection: Connection,
  options: ConversionOptions,
): Promise<ConvertedDatabase> {
  requireSession(connection, CANNOT_CONVERT);
  const held: OldContext[] = [];
  try {
    await holdContexts(connection, held, options);
    await freezeOldTables(connection);
    // Contexts made meanwhile; any made later cannot have samples in the old tables.
    await holdContexts(connection, held, options);
    return await convertContexts(connection, held, options);
  } finally {
    // A lost connection has released the locks already.
    for (const { contextId } of held) {
      await releaseContext(connection, contextId).catch(() => undefined);
    }
  }
}

export const CANNOT_CONVERT = 'The database cannot be converted';

const NOTHING: ConvertedDatabase = { slices: 0, samples: 0, segments: 0, texts: 0 };

/** Takes the locks of all contexts that are not in `held`, and adds those contexts to it. */
async function holdContexts(
  connection: Connection,
  held: OldContext[],
  { onWaiting, signal }: ConversionOptions,
): Promise<void> {
  for (const context of await selectOldContexts(connection)) {
    if (held.some(({ contextId }) => contextId === context.contextId)) continue;
    signal?.throwIfAborted();
    await holdContext(connection, context.contextId, {
      onWaiting: () => onWaiting?.(context.name),
    });
    held.push(context);
  }
}

/** A slice, and the name of its context. */
type NamedSlice = OldSlice & { readonly context: string };

async function convertContexts(
  connection: Connection,
  contexts: readonly OldContext[],
  options: ConversionOptions,
): Promise<ConvertedDatabase> {
  let texts = 0;
  const slices: NamedSlice[] = [];
  for (const { contextId, name } of contexts) {
    options.signal?.throwIfAborted();
    texts += await convertTexts(connection, contextId);
    const ofContext = await selectOldSlices(connection, contextId);
    slices.push(...ofContext.map((slice) => ({ ...slice, context: name })));
  }
  return { texts, ...(await convertSlices(connection, slices, options)) };
}

const convertTexts = (connection: Connection, contextId: number): Promise<number> =>
  inTransaction(connection, async () => {
    if (!(await markTextsConverted(connection, contextId))) return 0;
    const groups = await selectGroups(connection, contextId);
    return copyOldTexts(
      connection,
      groups.map(({ groupId }) => groupId),
    );
  });

async function convertSlices(
  connection: Connection,
  slices: readonly NamedSlice[],
  { signal, onProgress, now = systemSeconds, limits }: ConversionOptions,
): Promise<Omit<ConvertedDatabase, 'texts'>> {
  const ofBytes = slices.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  let samples = 0;
  let segments = 0;
  for (const [done, slice] of slices.entries()) {
    const report = (slicesDone: number, ownSamples: number, part: number) =>
      onProgress?.({
        context: slice.context,
        slice: sliceName(slice.startsAt, slice.engine),
        slices: { done: slicesDone, of: slices.length },
        bytes: { done: doneBytes + part * slice.sizeBytes, of: ofBytes },
        samples: samples + ownSamples,
      });
    report(done, 0, 0);
    const converted = await convertSlice(connection, slice, {
      now: now(),
      limits,
      signal,
      onSamples: (ownSamples, part) => report(done, ownSamples, part),
    });
    doneBytes += slice.sizeBytes;
    samples += converted?.samples ?? 0;
    segments += converted?.segments ?? 0;
    report(done + 1, 0, 0);
  }
  return { slices: slices.length, samples, segments };
}

const systemSeconds = (): number => Math.floor(Date.now() / 1000);

/**
 * Drops the old tables. Errors: something is not converted yet. Samples that somebody moved away by
 * hand stay (db/write/convert/drop-old-tables.ts).
 */
export const dropOldTables = ({ databaseUrl }: ConversionTarget): Promise<void> =>
  withConnection({ databaseUrl }, 'conversion', async (connection) => {
    if (await selectHasOldTables(connection)) await dropConverted(connection);
  });

/** Does the same on a connection to a database that has the old tables. */
export async function dropConverted(connection: Connection): Promise<void> {
  const { contexts, slices } = await selectUnconverted(connection);
  if (contexts + slices > 0) {
    throw new Error(
      `all that version 0.7 stored must be converted before its tables are dropped, but ${slices} ` +
        `slices and the texts of ${contexts} contexts are not: convert the database first`,
    );
  }
  await dropTables(connection);
}
