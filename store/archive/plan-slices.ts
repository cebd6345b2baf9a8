import { selectContextPools } from '../../db/sql/nodes-and-pools.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import {
  type ArchiveSession,
  isProcessing,
  listNamedSlices,
  type NamedSlice,
} from './archive-session.ts';
import { noPool } from './pool-folder.ts';

/** A selection of slices. A field that is null does not restrict it. */
export type SliceSelection = {
  /** Slices that ended at or before this time. */
  readonly before: EpochSeconds | null;
  readonly names: readonly string[] | null;
  readonly engine: number | null;
  /** Slices archived in this pool. */
  readonly pool: string | null;
};

export type SliceAction = 'archive' | 'restore' | 'drop';

/** The slices to act on, and the slices left out with the reasons. */
export type SlicePlan = {
  readonly slices: readonly NamedSlice[];
  readonly leftOut: readonly { readonly slice: NamedSlice; readonly reason: string }[];
};

/** Returns the selected slices, oldest first. Errors: a named slice or pool does not exist. */
export async function selectKept(
  session: ArchiveSession,
  { before, names, engine, pool }: SliceSelection,
): Promise<NamedSlice[]> {
  const slices = await listNamedSlices(session);
  for (const name of names ?? []) {
    if (slices.some((slice) => slice.name === name)) continue;
    throw new Error(
      `Context ${session.context} has no slice ${name}: ` +
        `\`countergraph slices list --context ${shellWord(session.context)}\` names those that it has`,
    );
  }
  if (pool !== null) await requirePool(session, pool);
  return slices.filter(
    (slice) =>
      (before === null || slice.endsAt <= before) &&
      (names === null || names.includes(slice.name)) &&
      (engine === null || slice.engine === engine) &&
      (pool === null || slice.archive?.pool === pool),
  );
}

/** Throws an error for an unknown pool. A pool that has archives cannot be removed. */
async function requirePool(
  { connection, contextId, context }: ArchiveSession,
  name: string,
): Promise<void> {
  const pools = await selectContextPools(connection, contextId);
  const names = pools.map((pool) => pool.name).sort();
  if (!names.includes(name)) throw noPool({ context, name, names });
}

/**
 * Plans an action on a selection. Slices that are still being filled are never touched: naming one
 * is an error; one selected by time is left out.
 */
export async function planSlices(
  session: ArchiveSession,
  action: SliceAction,
  selection: SliceSelection,
): Promise<SlicePlan> {
  const now = session.now();
  const slices: NamedSlice[] = [];
  const leftOut: { slice: NamedSlice; reason: string }[] = [];
  for (const slice of await selectKept(session, selection)) {
    if (selection.names !== null && action !== 'restore') refuseProcessing(slice, now);
    const reason = reasonAgainst(action, slice, now);
    if (reason === null) slices.push(slice);
    else leftOut.push({ slice, reason });
  }
  return { slices, leftOut };
}

function reasonAgainst(action: SliceAction, slice: NamedSlice, now: EpochSeconds): string | null {
  if (action === 'restore') return slice.archived ? null : 'is not archived';
  if (isProcessing(slice, now)) return processingReason(slice, now);
  return action === 'archive' && slice.archived ? 'is archived already' : null;
}

/** Throws an error if the slice may still be filled. */
export function refuseProcessing(slice: NamedSlice, now: EpochSeconds): void {
  if (!isProcessing(slice, now)) return;
  throw new Error(`${slice.name} ${processingReason(slice, now)}: leave it out`);
}

const processingReason = ({ endsAt }: NamedSlice, now: EpochSeconds): string =>
  endsAt > now
    ? `is processing until ${new Date(endsAt * 1000).toISOString().slice(0, 16)}Z`
    : 'is processing: an import is filling it';
