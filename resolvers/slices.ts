import { sliceName } from '../domain/slices/slice-name.ts';
import { type SliceStatus, sliceStatus } from '../domain/slices/slice-status.ts';
import { tagsOf } from '../domain/slices/slice-tags.ts';
import type { Interval } from '../domain/time/interval.ts';
import { type ContextView, requireSame } from './contexts.ts';
import type { SliceRow } from './loaders/node-loaders.ts';
import type { RequestScope } from './request-scope.ts';

export type SliceView = {
  readonly at: ContextView;
  readonly sliceId: number;
  readonly name: string;
  readonly engine: number;
  readonly status: SliceStatus;
  readonly timeInterval: Interval;
  readonly path: string | null;
  readonly available: boolean;
  readonly tags: readonly string[];
};

type SliceSelection = {
  readonly allEngines: boolean;
  /** Only slices that overlap it; null: all. */
  readonly within: Interval | null;
};

/** isStandby: as reported by the node itself, in the same statement (decision 13). */
type SliceList = { readonly isStandby: boolean; readonly slices: readonly SliceView[] };

/**
 * Returns the slices, oldest first, then by engine instance; unless all are requested, only those
 * of engine instance 0.
 */
export async function listSlices(
  scope: RequestScope,
  at: ContextView,
  { allEngines, within }: SliceSelection,
): Promise<SliceList> {
  const found = await at.loaders.slicesByContext.load(at.contextId);
  if (!found) throw new Error('a context without a row of its slices');
  requireSame(at, found.name);
  const slices = found.slices
    .filter((row) => allEngines || row.engine === 0)
    .filter((row) => !within || (row.startsAt < within.to && within.from < row.endsAt))
    .map((row) => viewSlice(scope, at, row));
  return { isStandby: found.isStandby, slices };
}

/** Returns the slice with this number; null if the context has none. */
export async function findSlice(
  scope: RequestScope,
  at: ContextView,
  sliceId: number,
): Promise<SliceView | null> {
  const { slices } = await listSlices(scope, at, { allEngines: true, within: null });
  return slices.find((slice) => slice.sliceId === sliceId) ?? null;
}

function viewSlice(scope: RequestScope, at: ContextView, row: SliceRow): SliceView {
  const timeInterval = { from: row.startsAt, to: row.endsAt };
  return {
    at,
    sliceId: row.sliceId,
    name: sliceName(timeInterval.from, row.engine),
    engine: row.engine,
    status: sliceStatus(row, scope.reads.now()),
    timeInterval,
    path: row.path,
    available: !row.archived,
    tags: tagsOf(row),
  };
}

/** Returns the size in bytes, measured on request (decision 16); null for a detached slice. */
export async function sliceSize({ at, sliceId }: SliceView): Promise<bigint | null> {
  const row = await at.loaders.sliceSize.load(sliceId);
  return row && BigInt(row.bytes);
}
