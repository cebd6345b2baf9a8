import type { Connection } from '../../db/connection/connection.ts';
import {
  type OpenSegmentRow,
  type SegmentTotals,
  selectOpenSegments,
  selectSliceTotals,
} from '../../db/sql/manifest.ts';
import { groupBy } from '../../domain/group-by.ts';
import { countWaiting, SEAL_AFTER_SECONDS } from './plan-merge.ts';

/** Counts, by slice, the open segments of a context due to be merged at `now`, epoch seconds. */
export function waitingBySlice(
  open: readonly OpenSegmentRow[],
  now: number,
): ReadonlyMap<number, number> {
  const waiting = new Map<number, number>();
  const sets = groupBy(open, (row) => `${row.groupId} ${row.probeId} ${row.sliceId}`);
  for (const set of sets.values()) {
    const [first] = set;
    if (!first) continue;
    const endsAt = first.endsAt ?? Number.POSITIVE_INFINITY;
    const time = { now, endsAt, sealAfterSeconds: SEAL_AFTER_SECONDS };
    const before = waiting.get(first.sliceId) ?? 0;
    waiting.set(first.sliceId, before + countWaiting(set, time));
  }
  return waiting;
}

/** Totals of a slice's segments, and how many of them are due to be merged. */
export type SliceSegments = SegmentTotals & { readonly waiting: number };

/** Returns the totals of each slice of a context that has live segments. */
export async function loadSliceSegments(
  connection: Connection,
  contextId: number,
  now: number,
): Promise<ReadonlyMap<number, SliceSegments>> {
  const totals = await selectSliceTotals(connection, contextId);
  const waiting = waitingBySlice(await selectOpenSegments(connection, contextId), now);
  return new Map(
    Array.from(totals, ([sliceId, own]) => [
      sliceId,
      { ...own, waiting: waiting.get(sliceId) ?? 0 },
    ]),
  );
}
